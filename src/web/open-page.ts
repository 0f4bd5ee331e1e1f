import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' }

/**
 * Opens an address in the browser of this machine, through a file that only this user can read: every user can see the
 * arguments of a program, and the address contains the token.
 */
export function openPage(address: string, tell: (text: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-web-'))
  const file = join(folder, 'open.html')
  const text = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><title>Loadout</title>\n`
  writeFileSync(file, text, { mode: 0o600 })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const opener = OPENERS[process.platform] ?? 'xdg-open'
  const child = spawn(opener, [file], { detached: true, stdio: 'ignore' })
  child.once('error', () => tell(`No browser could be opened: ${opener} is not there. Open the address yourself.`))
  child.unref()
}
