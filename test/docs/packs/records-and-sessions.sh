id=$(loadout packs resolve "until when can an article be returned" --json | sed -n 's/^  "audit": "\(.*\)",$/\1/p')
