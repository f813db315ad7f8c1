"""What the paper prints: the only figures here that were not measured, for the columns called "paper".

Transcribed from the tables of the appendix, as they stand: "<1" is less than a second, "-" a time-out. A set
has the name of its file; a column of run times ends in the depth.
"""

from __future__ import annotations

Figures = dict[str, dict[str, str]]


def _read(text: str) -> Figures:
    """Read a table: a line of column names, then a line per row, the first word of which is its name."""
    head, *lines = (line.split() for line in text.strip().splitlines())
    return {line[0]: dict(zip(head[1:], line[1:], strict=True)) for line in lines}


ACCURACY = _read("""
set                DL8.5/4  MurTree/4  STreeD/4  DL8.5/5  MurTree/5  STreeD/5
anneal                   2         <1        <1       17          2         5
audiology                4         <1        <1       <1         <1        <1
australian-credit       23          1         2        -         21        37
breast-wisconsin         4         <1         1       15          1         7
diabetes                24          1         2        -         22        34
fico                    <1         <1        <1       <1          1         2
german-credit           36          2         3        -         61        94
heart-cleveland          6         <1        <1       80          3         7
hepatitis               <1         <1        <1        2         <1        <1
hypothyroid              5          1        <1       94         13        11
ionosphere               -         69       152        -        146       112
kr-vs-kp                 2         <1        <1       18          6         4
letter                 547        200       145        -          -         -
lymph                    1         <1        <1       <1         <1        <1
mushroom                 3         <1        <1        1         <1        <1
pendigits              160         60        74        -        240       109
soybean                 <1         <1        <1        6         <1         1
splice-1                 -        148       156        -          -         -
tic-tac-toe             <1         <1        <1        2         <1        <1
vehicle                 79          8        15        -        137       343
vote                    <1         <1        <1        5         <1         1
yeast                   10         <1         1      280         13        18
""")
"""Seconds for the best accuracy (table "Runtime (s) for maximizing accuracy")."""

ACCURACY_RANKS = {"DL8.5/4": "3.0", "MurTree/4": "1.29", "STreeD/4": "1.71"} | {
    "DL8.5/5": "2.89",
    "MurTree/5": "1.39",
    "STreeD/5": "1.72",
}
"""Average ranks below that table."""

F1 = _read("""
set                MurTree/3  STreeD/3  MurTree/4  STreeD/4
anneal                    <1        <1         24         2
audiology                 <1        <1         54         2
australian-credit          2        <1        139        19
breast-wisconsin          <1        <1         61         7
compas                     2        <1          7        <1
diabetes                   3        <1        117        13
fico                       6        <1         26         3
german-credit              6        <1        164        34
heart-cleveland           <1        <1         43         6
hepatitis                 <1        <1          6        <1
hypothyroid               <1        <1         28         3
ionosphere                26        11          -         -
kr-vs-kp                  <1        <1         22         3
letter                    46         7          -       469
lymph                     <1        <1          8         1
mushroom                  <1        <1         <1        <1
pendigits                 13         4          -       240
primary-tumor             <1        <1         <1        <1
segment                   <1        <1         <1        <1
soybean                   <1        <1          3        <1
splice-1                  17         9          -         -
tic-tac-toe               <1        <1          1        <1
vehicle                    5         2          -       130
vote                      <1        <1          3         1
yeast                      5        <1         68         8
""")
"""Seconds for the best F1 score (table "biobjective misclassification score for two classes")."""

DEMOGRAPHIC_PARITY = _read("""
set               rows  features  Aghaei/2  Aghaei/3  Jo/2  Jo/3  DPF/2  DPF/3  STreeD/2  STreeD/3
adult            45222        17         -         -     -     -     <1     <1        <1         2
bank             45211        46         -         -     -     -     <1      3        <1         4
communities       1994        97         -         -     -     -     <1      5        <1        29
compas-recid      6172         9         -         -     -     -     <1     <1        <1        <1
compas-violent    4020         9         -         -     -     -     <1     <1        <1        <1
dutch            60420        58         -         -     -     -     <1      6        <1         8
german-credit     1000        69         -         -     -     -     <1      2        <1        62
census-income   284556       117         -         -     -     -      1     39         3        26
oulad            21562        45         -         -     -     -     <1      3        <1        19
ricci              118         4         3        44     2    13     <1     <1        <1        <1
student-mat        395        55         -         -   473     -     <1     <1        <1         2
student-por        649        55         -         -     -     -     <1     <1        <1         3
""")
"""Seconds under a demographic parity constraint."""

EQUAL_OPPORTUNITY = _read("""
set               rows  features  STreeD/2  STreeD/3
adult            45222        17        <1         1
bank             45211        46        <1         7
communities       1994        97        <1        11
compas-recid      6172         9        <1        <1
compas-violent    4020         9        <1        <1
dutch            60420        58        <1         7
german-credit     1000        69        <1        50
census-income   284556       117         3        37
oulad            21562        45        <1        19
ricci              118         4        <1        <1
student-mat        395        55        <1        <1
student-por        649        55        <1         1
""")
"""Seconds under an equality of opportunity constraint."""

COSTS = _read("""
set        C4.5  CSID3   EG2   IDX  MetaCost  TMDP  STreeD
annealing   5.6    5.6   2.2   2.2       5.7   1.6     1.2
breast     43.9   43.4  41.0  40.7      54.8  21.0    20.4
car        43.1   42.2  39.8  39.9      42.2  16.1    14.8
diabetes   50.2   44.5  43.4  43.4      55.9  14.2    14.1
flare      17.9   15.7  15.4  15.3      21.8  18.0    16.7
glass      37.7   35.6  30.1  29.0      39.4  14.3    14.4
heart      45.4   23.0  20.0  19.9      44.7   9.5     9.3
hepatitis  32.2   24.3  20.0  19.7      32.2  16.2    15.6
iris       38.8   34.0  29.5  29.7      40.9  12.8    12.8
krk         6.5    6.2   6.3   6.3       6.5     -     1.7
mushroom   16.4    8.3   5.6   4.5      16.4     -     1.9
nursery     0.4    0.4   0.4   0.4       0.4   0.1     0.1
soybean    12.8   16.3  19.8  21.1      12.6  15.4    11.4
tictactoe  45.0   45.0  45.0  45.0      45.0  16.1    16.1
wine       25.0   18.8  18.1  17.5      24.8  12.2    10.4
""")
"""Out-of-sample normalised costs in per cent, mean over the three levels."""

COSTS_BY_LEVEL = _read("""
set        STreeD/low  TMDP/low  STreeD/middle  TMDP/middle  STreeD/high  TMDP/high
annealing         1.3       1.6            1.2          1.6          1.2        1.5
breast            8.3       8.3           15.7         15.6         37.3       39.1
car               9.8       9.8           14.0         15.8         20.5       22.9
diabetes          7.3       7.2           11.6         11.8         23.4       23.5
flare             9.9       9.8           15.2         16.3         24.9       28.0
glass            10.9      10.8           13.8         14.1         18.5       18.1
heart             4.0       4.0            7.2          7.5         16.7       17.1
hepatitis         8.4       9.2           12.9         13.5         25.6       26.0
iris              7.5       7.5           10.7         10.7         20.2       20.3
krk               1.8         -            1.8            -          1.7          -
mushroom          1.7         -            1.8            -          2.1          -
nursery           0.1       0.1            0.1          0.1          0.1        0.1
soybean          10.9      18.7           11.6         16.3         11.8       11.3
tictactoe         6.8       6.8           12.7         12.7         28.8       28.9
wine              8.0      11.3           11.9         12.5         11.2       12.8
""")
"""Out-of-sample normalised costs in per cent for low, middle and high misclassification costs."""

INTERPRETABILITY = _read("""
measure          C4.5  CSID3   EG2   IDX  MetaCost  TMDP  STreeD
tree-depth        7.9    7.1   7.1   7.1       7.2   1.9     2.2
leaf-nodes       26.1   27.2  28.6  28.7      24.8   7.4     5.4
question-length   4.4    4.7   5.0   5.0       4.7   1.7     2.8
""")
"""Size of the trees, without the sets on which TMDP ran out of time."""

WARFARIN = _read("""
depth  Jo-timeouts   Jo  CAIPWL-timeouts  CAIPWL  STreeD  right
1                -   30                -      <1      <1   83.1
2               62  215                -       5      <1   84.6
3              100    -                -      96      <1   86.6
4              100    -              100       -      <1   88.0
5              100    -              100       -       3   89.7
""")
"""Warfarin by depth: seconds, time-outs in per cent, and right treatments in per cent."""

CLAIMS = {
    "cost STreeD": "13.3",
    "cost TMDP": "14.3",
    "cost scenarios won": "21",
    "cost scenarios lost": "1",
    "cost sets best": "14",
    "DL8.5 / STreeD": "6.4",
    "STreeD / MurTree": "1.25",
    "F1 MurTree / STreeD 3": "7.1",
    "F1 MurTree / STreeD 4": "6.8",
}
"""Figures of the running text."""
