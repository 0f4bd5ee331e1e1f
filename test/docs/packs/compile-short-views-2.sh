perl -pi -e 's/, \{"text": "Parcels above 50[^}]*\}//' answer.json
