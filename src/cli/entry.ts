import { main } from './main.ts'
import { processTerminal } from './terminal.ts'

export async function run(): Promise<void> {
  process.exitCode = await main(process.argv.slice(2), processTerminal)
}
