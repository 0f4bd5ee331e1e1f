// One machine that sends until nothing waits. It is killed at any time, and started again.
import { createLoadout } from '../../dist/api.js'

const [home] = process.argv.slice(2)
const loadout = createLoadout({ home, cwd: home, env: { PATH: process.env.PATH, HOME: home } })
for (;;) {
  const { value } = await loadout.pushUsage({}).catch(() => ({ value: { waiting: 1 } }))
  if (value.waiting === 0) break
  await new Promise((wake) => setTimeout(wake, 50 + Math.random() * 300))
}
