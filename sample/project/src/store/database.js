import { spawnSync } from 'node:child_process'

/** Rows of one statement. Values are never written into the statement. */
export async function query(statement, values = []) {
  const names = values.map((_, at) => `-v${at + 1}`)
  const { status, stdout, stderr } = spawnSync('store', ['--json', ...names, statement], { input: JSON.stringify(values) })
  if (status !== 0) throw new Error(`the store refused: ${stderr}`)
  return JSON.parse(stdout)
}
