"""The paper's five studies, rerun with streed beside the systems that the paper compares with."""
