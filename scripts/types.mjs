// Writes the types of the library beside it: one file for each entry, with only what the entry exports.
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

for (const input of ['src/index.ts', 'src/api.ts']) {
  const types = await rollup({ input, plugins: [dts()], external: (id) => id.startsWith('node:') })
  await types.write({ dir: 'dist', format: 'es' })
}
