loadout agents enable "$1"
