"""Tables of judgements as programs, packages and people write them, all read without an option."""

import pytest

import ordinate as od

ITEMS = [("u", "v"), ("v", "w"), ("w", "u"), ("w", "v")]
CHOSEN = [0, 1, 0, 1]
WON = [(row[c], row[1 - c]) for row, c in zip(ITEMS, CHOSEN, strict=True)]
STATED = """\
candidate_chosen,candidate_not_chosen Chosen,NotChosen won,lost Winner,Loser winner_id,loser_id
chosen_candidate,not_chosen_candidate winning_essay,losing_essay chosen,rejected better,worse
chosen_model,rejected_model winner_name,loser_name preferred,over
portfolio_chosen,portfolio_rejected preferred,nonpreferred selected,unselected
"""
BY_NAME = """\
left,right,selected object1,object2,selected Left,Right,Preferred
left_stim,right_stim,chosen_stim A,B,answer face1,face2,chosen_face item1,item2,preferred_item
essay1,essay2,better_essay i,j,winner left_id,right_id,winner_id
alternative_1,alternative_2,chosen_alternative object_a,object_b,which_one
playerA,playerB,winner INPUT:left,INPUT:right,OUTPUT:result Script_1,Script_2,Best
candidate_left,candidate_right,candidate_chosen
"""
BY_WORD = """\
left,right,winner,left,right image_left,image_right,response,Left,Right
ScriptA,ScriptB,Judgement,A,B optionA,optionB,choice,optionA,optionB p1,p2,winner,p1,p2
model_a,model_b,winner,model_a,model_b stim_left,stim_right,key_resp.keys,left,right
player_1,player_2,Winner,1,2 White,Black,Result,1-0,0-1
Input.image_a,Input.image_b,Answer.preferred,image_a,image_b work_a,work_b,verdict,a,b
itemL,itemR,chosen,L,R left,right,left_won,1,0 left,right,left_wins,TRUE,FALSE
item_a,item_b,a_preferred,yes,no a,b,b_wins,0,1 model_left,model_right,vote,leftvote,rightvote
HomeTeam,AwayTeam,FTR,H,A optA,optB,selected_option,optA,optB first,second,choice,first,second
stimA,stimB,pref,stimA,stimB image_a,image_b,which_is_better,a,b
"""
FIGURES = """\
home.team,away.team,home.wins,away.wins player1,player2,win1,win2 item1,item2,n1,n2
team1,team2,score1,score2 home_team,away_team,home_score,away_score
Home,Away,HomeGoals,AwayGoals team_a,team_b,points_a,points_b HomeTeam,AwayTeam,FTHG,FTAG
model_a,model_b,winner_model_a,winner_model_b
"""


def said(table):
    pairs = od.read_pairs(table)
    rows = [[pairs.names[item] for item in row] for row in pairs.rows]
    return [tuple(row[:: int(won)]) for row, won in zip(rows, pairs.outcomes, strict=True)]


@pytest.mark.parametrize("judge", ["judge", "Judge Name", "assessor", "student"])
@pytest.mark.parametrize("names", STATED.split())
def test_columns_that_say_who_won(names, judge):
    table = dict(zip(names.split(","), zip(*WON, strict=True), strict=True))
    beside = {judge: list("ppqq"), "timeTaken": ["3.5", "4.25", "9.5", "2.5"], "": list("1234")}
    assert said(table | beside) == WON
    sides = {"chosen_side": ["left", "right", "left", "right"]}
    assert sorted(said(table | beside | sides)) == sorted(WON)


@pytest.mark.parametrize("names", BY_NAME.split())
def test_a_column_that_names_the_winner(names):
    *items, answer = (name.replace("Script_", "Script ") for name in names.split(","))
    table = dict(zip(items, zip(*ITEMS, strict=True), strict=True))
    assert said(table | {answer: [won for won, _ in WON]}) == WON


@pytest.mark.parametrize("names", BY_WORD.split())
def test_a_column_that_says_which_won(names):
    *items, answer, first, second = names.split(",")
    table = dict(zip(items, zip(*ITEMS, strict=True), strict=True))
    assert said(table | {answer: [(first, second)[c] for c in CHOSEN]}) == WON


@pytest.mark.parametrize("names", FIGURES.split())
def test_columns_of_wins_or_scores(names):
    names = names.split(",")
    columns = [*zip(*ITEMS, strict=True), [1 - c for c in CHOSEN], CHOSEN]
    assert said(dict(zip(names, columns, strict=True))) == WON


@pytest.mark.parametrize(
    "answer", [{"result": [1, 0, 1, 0]}, {"outcome": ["win", "loss", "win", "loss"]}]
)
def test_what_may_be_said_of_either_is_refused(answer):
    with pytest.raises(od.InputError):
        said({"id1": list("uvww"), "id2": list("vwuv")} | answer)
