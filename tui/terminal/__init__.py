"""What a terminal pane is made of, without the screen: the line editor, output, scrollback."""
