"""Judging tables: real data that no choice of the automatic model was tuned on.

The tables of `benchmarks/tables.py` were looked at when candidates, penalties and weights of pools
were chosen, as were these from R packages: Sonar, Ionosphere, Vehicle, Glass, BreastCancer,
HouseVotes84 and PimaIndiansDiabetes of mlbench; CreditCard, PSID1976, TeachingRatings and CPS1985
of AER; TitanicSurvival of carData; wa_churn and mlc_churn of modeldata; fish of rrcov; turnout of
Zelig. Samples of 60 to 240 rows, tested on the rest, were taken of most of these and of: Vowel and
Satellite of mlbench; banknote and thyroid of mclust; bloodtransfusion, bupa, haberman, heart,
vertebral_column, tae, biomed, indian_liver_patient_1vs2, plasma_retinol_MvsF and irish_ed_MvsF of
ddalpha; GermanCredit of caret; gbsg, rotterdam, flchain, retinopathy and veteran of survival; Hawks
of Stat2Data; ncbirths, births14 and smoking of openintro; HELPrct, Whickham and SaratogaHouses of
mosaicData; Contraception of mlmRev; olive of dslabs; Affairs and NMES1988 of AER; SLID of carData;
hpc_data, hpc_cv, lending_club, two_class_dat and ad_data of modeldata; lalonde of MatchIt;
close_college of causaldata; Smarket of ISLR; nlschools of MASS; framing and jobs of mediation;
liver of texmex; crime1 of wooldridge; bfi of psych; taxi of modeldata.

Those below only judge: look at their scores once per release, and change nothing because of
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
