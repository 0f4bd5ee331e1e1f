loadout plan "cut a release"
loadout plan "draft the notes for the next version"
