"""Judging tables: real data that no choice of the automatic model was tuned on.

The tables of `benchmarks/tables.py` were looked at when candidates, penalties and weights of pools
were chosen, as were these from R packages: Sonar, Ionosphere, Vehicle, Glass, BreastCancer,
HouseVotes84 and PimaIndiansDiabetes of mlbench; CreditCard, PSID1976, TeachingRatings and CPS1985
of AER; TitanicSurvival of carData; wa_churn and mlc_churn of modeldata; fish of rrcov; turnout of
Zelig. Those below only judge: look at their scores once per release, and change nothing because of
a single one.
"""

from __future__ import annotations

import pandas as pd

from benchmarks.tables import Spec, read_all

TABLES = {
    "Default": Spec("ISLR/Default", "default"),
    "orange juice": Spec("ISLR/OJ", "Purchase"),
    "weekly returns": Spec("ISLR/Weekly", "Direction", ("Today",)),
    "car seats": Spec("ISLR/Carseats", "ShelveLoc"),
    "cars": Spec("ISLR/Auto", "origin", ("name",)),
    "smoking ban": Spec("AER/SmokeBan", "smoker"),
    "Swiss labour": Spec("AER/SwissLabor", "participation"),
    "health insurance": Spec("AER/HealthInsurance", "insurance"),
    "arrests": Spec("carData/Arrests", "released"),
    "wells": Spec("carData/Wells", "switch"),
    "values survey": Spec("carData/WVS", "poverty"),
    "spam": Spec("DAAG/spam7", "yesno"),
    "possums": Spec("DAAG/possum", "sex", ("case",)),
    "leaf shapes": Spec("DAAG/leafshape", "arch"),
    "intensive care": Spec("Stat2Data/ICU", "Survive", ("ID",)),
    "medical school": Spec("Stat2Data/MedGPA", "Acceptance", ("Accept",)),
    "houses": Spec("Ecdat/Housing", "airco"),
    "pancreatitis": Spec("medicaldata/indo_rct", "outcome", ("id",)),
    "colon cancer": Spec("survival/colon", "status", ("id", "study", "time")),
    "paraproteins": Spec("survival/mgus", "death", ("id", "futime", "pctime", "pcdx")),
    "volunteers": Spec("carData/Cowles", "volunteer"),
    "colleges": Spec("ISLR/College", "Private"),
    "cells": Spec("modeldata/cells", "class", ("case",)),
    "programmers": Spec("modeldata/stackoverflow", "Remote"),
    "vocabulary": Spec("carData/GSSvocab", "nativeBorn"),
    "school tests": Spec("psych/sat.act", "gender"),
}


def judging_tables() -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Features and target of each table, by name."""
    return read_all(TABLES)
