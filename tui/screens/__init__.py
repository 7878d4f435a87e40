"""The screens, one file each; a style sheet of the same name lies beside it where one is needed."""
