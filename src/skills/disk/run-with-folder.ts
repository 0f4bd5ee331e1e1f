import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asLoadoutError, readText } from '../../machine/files.ts'
import { isAlive, isOrphaned, namesIn } from '../../machine/leftovers.ts'
import { attempt } from '../../text/values.ts'
import type { PluginFile } from '../rules/plugins.ts'

interface RunWithFolder {
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Made for this run, and removed after it. */
  folder: string
  /** Where its files lie, below the folder. */
  place: string
  files: readonly PluginFile[]
}

const CLIENT = 'client.pid'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs a program in this terminal, with files of its own, until it ends; its exit code as a shell tells it. */
export async function runWithFolder({ program, args, env, folder, place, files }: RunWithFolder): Promise<number> {
  const removeEnded = () => {
    for (const name of namesIn(dirname(folder)).filter(isOrphaned)) {
      // Loadout was killed; its client may still run.
      const pid = Number(attempt(() => readText(join(dirname(folder), name, CLIENT), 20), '0'))
      if (!(pid > 0 && isAlive(pid))) rmSync(join(dirname(folder), name), { recursive: true, force: true })
    }
  }
  removeEnded()
  try {
    for (const { path, bytes, isExecutable } of files) {
      mkdirSync(dirname(join(folder, place, path)), { recursive: true, mode: 0o700 })
      writeFileSync(join(folder, place, path), bytes, { mode: isExecutable ? 0o755 : 0o644 })
    }
    const child = spawn(program, args, { stdio: 'inherit', env })
    if (child.pid !== undefined && files.length > 0) writeFileSync(join(folder, CLIENT), String(child.pid))
    // Signals are for the program; a terminal sends ctrl-c to both.
    const passOn = (signal: NodeJS.Signals) => void (signal === 'SIGINT' || child.kill(signal))
    for (const signal of SIGNALS) process.on(signal, passOn)
    try {
      return await new Promise((settle, refuse) => {
        child.on('error', (error) => refuse(asLoadoutError(error, program, 'read')))
        child.on('close', (code, signal) => settle(code ?? (signal === 'SIGINT' ? 130 : 137)))
      })
    } finally {
      for (const signal of SIGNALS) process.off(signal, passOn)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
