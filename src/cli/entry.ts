import { main } from './main.ts'
import { processTerminal } from './terminal.ts'

main(process.argv.slice(2), processTerminal).then((code) => {
  process.exitCode = code
})
