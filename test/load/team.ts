// The long runs of the team's server: npm run test:load. With `machines` or `report` only one of them;
// --machines, --events and --millions set how much.
import { parseArgs } from 'node:util'
import { loadMachines } from './machines.ts'
import { loadReport } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    machines: { type: 'string', default: '200' },
    events: { type: 'string', default: '20000' },
    millions: { type: 'string', default: '20' },
  },
})
const wants = (part: string) => positionals.length === 0 || positionals.includes(part)
if (wants('machines')) await loadMachines(Number(values.machines), Number(values.events))
if (wants('report')) await loadReport(Number(values.millions) * 1_000_000)
