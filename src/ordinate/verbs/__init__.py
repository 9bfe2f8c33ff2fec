"""One public function per verb of the command line, each returning a Result."""
