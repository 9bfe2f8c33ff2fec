"""Run a study of comparisons: one process that asks, keeps and hands out the answers.

A row of this room passes from `study` (what is asked about) through `tasks` (one question) and
`plan` (the questions of one participant) to `store` (what is on disk), which `server` puts
between browsers and `export` turns into tables. `live` looks at a study while it runs, and
`simulate` plays participants.
"""
