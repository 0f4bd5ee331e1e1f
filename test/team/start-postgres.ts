import { startTryDatabase } from '../../src/team/disk/try-database.ts'

// Prints the address of a new PostgreSQL, and stops it when standard input ends.
const database = await startTryDatabase(process.argv.slice(2))
process.stdin.on('end', () => database.stop()).resume()
console.log(database.url)
