import { type LoadInterface, main } from './main.ts'
import { processTerminal } from './terminal.ts'

export async function run(loadInterface: LoadInterface): Promise<void> {
  process.exitCode = await main(process.argv.slice(2), processTerminal, loadInterface)
}
