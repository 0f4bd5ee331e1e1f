// Runs scripts of package.json at once: each uses one core for most of its time. Prints what one printed when it has
// ended, and fails when one has failed. node scripts/at-once.mjs <script> ...
import { spawn } from 'node:child_process'

for (const name of process.argv.slice(2)) {
  const child = spawn(`npm run --silent ${name}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const parts = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part))
  child.once('close', (code) => {
    process.stdout.write(Buffer.concat(parts))
    if (code === 0) return
    console.error(`npm run ${name} failed`)
    process.exitCode = 1
  })
}
