git init --quiet ~/shop
cd ~/shop
loadout packs new refunds --description "How the shop pays money back: returns, deadlines, amounts, damaged parcels. Use for questions about refunds."
cd .agents/knowledge/refunds
perl -pi -e 's/^status: draft/status: ready/; s/^trust: unreviewed/trust: user-confirmed/; s/^Say here which.*/Questions about returns and refunds. Taxes are not in here./; s/^- Single facts/- Deadlines and amounts/; s/^- All pages.*/- Damaged parcels, photos, carriers: `wiki\/concepts\/damage.md`/; s/^- To cite.*/- To cite or to verify: `sources\/policy.md`/' KNOWLEDGE.md
cat >sources/policy.md <<'END'
# Refund policy

A customer may return an article within 30 days.
The money is paid back within 5 working days after the parcel has arrived.
Above 500 euros a team lead approves the refund.
A damaged parcel is photographed before it is unpacked; the carrier pays.
END
cat >compiled/briefing.md <<'END'
# Briefing

Articles are taken back for 30 days and paid back within 5 working days. [source: sources/policy.md#L3-L4]
END
cat >compiled/facts.md <<'END'
# Facts

- An article can be returned within 30 days. [source: sources/policy.md#L3]
- Money is paid back within 5 working days after the parcel has arrived. [source: sources/policy.md#L4]
- A refund above 500 euros needs the approval of a team lead. [source: sources/policy.md#L5]
END
cat >compiled/boundaries.md <<'END'
# Boundaries

- Never promise a refund before the parcel has arrived. [source: sources/policy.md#L4]
END
cat >wiki/concepts/damage.md <<'END'
# Damaged parcels

A parcel that arrives damaged is photographed before it is unpacked. [source: sources/policy.md#L6]
The carrier pays for it. [source: sources/policy.md#L6]
END
cat >wiki/index.md <<'END'
# Pages

- [[concepts/damage]]
END
rm wiki/concepts/overview.md sources/notes.md
cat >indexes/source-map.json <<'END'
{
  "claims": [
    {
      "claim_id": "return-deadline",
      "text": "An article can be returned within 30 days.",
      "status": "confirmed",
      "source": { "path": "sources/policy.md", "anchor": "L3" },
      "compiled_into": ["compiled/briefing.md", "compiled/facts.md"]
    },
    {
      "claim_id": "gift-cards",
      "text": "Whether gift cards are refunded.",
      "status": "source-required",
      "source": { "path": "" }
    }
  ]
}
END
cat >evals/discovery.train.json <<'END'
{ "pack_name": "refunds", "cases": [
  { "id": "deadline", "prompt": "until when can an article be returned", "expected": "select" },
  { "id": "taxes", "prompt": "which tax rate do books have", "expected": "reject" }
] }
END
cat >evals/discovery.validation.json <<'END'
{ "pack_name": "refunds", "cases": [
  { "id": "amount", "prompt": "a customer wants a refund of 800 euros", "expected": "select" }
] }
END
cd ~/shop
loadout approve refunds
