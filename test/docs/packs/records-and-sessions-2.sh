loadout packs resolve "until when can an article be returned" --session review-42
