"""Files of a host whose text is the same everywhere: `texts/etc/profile.txt` is /etc/profile. Adding one is adding a
file here.
"""
