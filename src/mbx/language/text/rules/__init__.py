"""What each rule of the grammar's statement part makes, by topic."""
