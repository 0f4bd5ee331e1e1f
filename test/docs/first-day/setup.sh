mkdir -p ~/.claude ~/.codex ~/shop/src
cd ~/shop
git init -q
printf '# Rules\n\nRun the tests before every commit.\n' >AGENTS.md
cat >src/refunds.ts <<'END2'
export function refund(ticket: string, order: string) {
  if (ordersOf(ticket).includes(order)) return pay(order)
  throw new Error("no such order")
}
END2
git add -A
git commit -qm 'Refund orders by their ticket'
mkdir -p $GIT/drafts/changelog $GIT/drafts/triage $GIT/community
for name in changelog triage; do
  printf -- '---\nname: %s\ndescription: Use it for the %s.\n---\n\n# Steps\n\n1. One line per effect.\n' $name $name >$GIT/drafts/$name/SKILL.md
done
git -C $GIT/drafts init -q
git -C $GIT/drafts add .
git -C $GIT/drafts commit -qm 'Two skills'
git clone -q --bare $GIT/drafts $GIT/community/skills.git
cd
