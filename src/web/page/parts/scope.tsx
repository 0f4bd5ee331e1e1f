import { Choice } from './field.tsx'

/** The user's own skills, or those of the server's project. */
export function ScopeChoice({ value, onChange }: { value: string; onChange(value: string): void }) {
  const options = [
    ['', 'yours'],
    ['project', 'this project'],
  ] as const
  return <Choice label="Skills" value={value} options={options} onChange={onChange} />
}
