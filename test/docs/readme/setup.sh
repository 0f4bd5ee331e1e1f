mkdir -p ~/.claude ~/.codex ~/shop/docs ~/shop/src ~/shop/.claude/loadout
cd ~/shop
git init -q
cat >AGENTS.md <<'END'
# Rules

Run the tests before every commit.
END
cat >docs/release.md <<'END'
# Release

Tag, wait for CI, publish.
END
cat >src/refunds.ts <<'END'
import { ordersOf } from "./orders"

export function refund(ticket: string, order: string) {
  if (ordersOf(ticket).includes(order)) return pay(order)
  throw new Error("no such order")
}
END
cat >src/orders.ts <<'END'
export function cancel(order: string) {
  cancelled.add(order)
}

export function ordersOf(ticket: string) {
  return open.get(ticket) ?? []
}
END
printf 'it("refunds", () => refund("T-1", "O-1"))\n' >src/refunds.test.ts
cat >docs/parcels.md <<'END'
# Parcels

A parcel has one label.
END
git config user.name a
git config user.email a@example.org
git add docs AGENTS.md
git commit -qm 'Start the shop'
git add -A
git commit -qm 'Refund orders by their ticket'
cat >.claude/loadout/refunds.md <<'END'
---
id: refunds
keywords: [refund, payment]
---
# Refunds

A refund needs the number of its ticket.
END
mkdir -p $GIT/drafts/changelog $GIT/drafts/triage $GIT/community
for name in changelog triage; do
  printf -- '---\nname: %s\ndescription: Use it for the %s.\n---\n\n# Steps\n\n1. One line per effect.\n' $name $name >$GIT/drafts/$name/SKILL.md
done
git -C $GIT/drafts init -q
git -C $GIT/drafts add .
git -C $GIT/drafts commit -qm 'Two skills'
git clone -q --bare $GIT/drafts $GIT/community/skills.git
