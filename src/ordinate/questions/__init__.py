"""Which question to ask next: tasks, rules, and the record of what was asked and answered."""
