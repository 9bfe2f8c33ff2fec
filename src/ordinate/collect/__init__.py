"""Run a study of comparisons: one process that asks, keeps and hands out the answers.

What is asked passes from `study` (its folder) through `tasks` (one question) and `plan` (the
questions of one participant) to `store` (what is on disk); `sessions` has what participants do
there. `server` puts it between browsers: `requests` come from a `participant` or an
`experimenter`, who see `pages` and `figures`. `adaptive` hands out the questions that `refit`
chooses. `export` turns answers into tables, `live` into a map while the study runs. `prepare`
comes before all of it, `simulate` plays participants, and `backup` puts a study into one file.
"""
