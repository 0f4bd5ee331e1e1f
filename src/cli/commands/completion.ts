import { failWith } from '../../text/trouble.ts'
import { COMMON_FLAGS, type Command, defineCommand, listedFlags } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

type Shell = (typeof SHELLS)[number]

export const completion = defineCommand({
  name: 'completion',
  keepsPaths: true,
  summary: 'print a completion script for your shell',
  details:
    'bash: loadout completion bash >> ~/.bashrc\nzsh:  loadout completion zsh > ~/.zfunc/_loadout   (a folder of $fpath)\nfish: loadout completion fish > ~/.config/fish/completions/loadout.fish\npowershell: loadout completion powershell >> $PROFILE',
  args: [{ name: 'shell', summary: `one of ${SHELLS.join(', ')}`, required: true, complete: SHELLS }],
  flags: {},
  run: async ({ args }) => {
    const shell = SHELLS.find((known) => known === args.shell)
    if (shell === undefined) {
      throw failWith('USAGE/shell', { shell: `${args.shell}`, shells: SHELLS.join(', ') })
    }
    const { COMMANDS } = await import('../commands.ts')
    return { value: { shell, script: completionScript(shell, COMMANDS) }, findings: [] }
  },
  print: ({ script }) => script,
})

/** A completion script generated from the command table: it does not run the program while you type. */
function completionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript }[shell](commands)
}

function bashScript(commands: readonly Command[]): string {
  const firstWords = unique(commands.map(({ name }) => name.split(' ')[0] ?? ''))
  const cases = commands.map((command) => {
    const values = valueCases(command)
    return [
      `    "${command.name}")`,
      ...(values.length > 0 ? [`      case "$previous" in`, ...values, `      esac`] : []),
      `      words="${[...flagNames(command), ...argumentWords(command)].join(' ')}" ;;`,
    ].join('\n')
  })
  const nested = groupNested(commands).map(([first, rest]) => `    ${first}) words="${rest.join(' ')}" ;;`)
  return `_loadout() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" name="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firstWords.join(' ')} help" -- "$current"))
    return
  fi
  case "$name" in
${nested.join('\n')}
  esac
  if [ -n "$words" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      return
    fi
    name="$name \${COMP_WORDS[2]}"
  fi
  words=""
  case "$name" in
${cases.join('\n')}
    help) words="${firstWords.join(' ')}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$current" in
    -*) ;;
    *) local IFS=$'\\n'; COMPREPLY+=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _loadout loadout
`
}

function valueCases(command: Command): string[] {
  return flagsOf(command).flatMap(([name, flag]) => {
    if (flag.kind === 'switch') return []
    const reply = flag.kind === 'choice' ? `compgen -W "${flag.choices.join(' ')}"` : 'compgen -f'
    return [`        --${name}) COMPREPLY=($(${reply} -- "$current")); return ;;`]
  })
}

function zshScript(commands: readonly Command[]): string {
  const described = (pairs: readonly [string, string][]) =>
    pairs.map(([word, text]) => quoteZsh(`${word}:${text}`)).join(' ')
  const top = unique(commands.map(({ name }) => name.split(' ')[0] ?? '')).map((word): [string, string] => [
    word,
    commands.find(({ name }) => name === word)?.summary ?? `${word} commands`,
  ])
  const nested = groupNested(commands).map(([first, rest]) => {
    const words = rest.map((word): [string, string] => [
      word,
      commands.find(({ name }) => name === `${first} ${word}`)?.summary ?? '',
    ])
    return `  ${first})
    if (( CURRENT == 3 )); then choices=(${described(words)}); _describe command choices; return; fi
    name="$name \${words[3]}" ;;`
  })
  const values = commands.flatMap((command) =>
    flagsOf(command).flatMap(([flag, spec]) => {
      if (spec.kind === 'switch') return []
      const reply = spec.kind === 'choice' ? `compadd -- ${spec.choices.join(' ')}` : '_files'
      return [`  '${command.name} --${flag}') ${reply}; return ;;`]
    }),
  )
  const flags = commands.map((command) => {
    const all = flagsOf(command)
    const words = argumentWords(command)
    const add = words.length > 0 ? ` compadd -- ${words.join(' ')} ;` : ''
    return `  '${command.name}')${add} choices=(${described(all.map(([name, { summary }]) => [`--${name}`, summary]))}) ;;`
  })
  return `#compdef loadout
local -a choices
local name="\${words[2]}"
if (( CURRENT == 2 )); then
  choices=(${described([...top, ['help', 'explain a command']])})
  _describe command choices
  return
fi
case "$name" in
${nested.join('\n')}
esac
case "$name \${words[CURRENT-1]}" in
${values.join('\n')}
esac
case "$name" in
${flags.join('\n')}
  help) compadd -- ${top.map(([word]) => word).join(' ')} ;;
esac
if [[ "\${words[CURRENT]}" == -* ]]; then _describe flag choices; else _files; fi
`
}

function quoteZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function fishScript(commands: readonly Command[]): string {
  const top = unique(commands.map(({ name }) => name.split(' ')[0] ?? ''))
  const rows = ['complete -c loadout -f']
  for (const word of [...top, 'help']) {
    const summary = commands.find(({ name }) => name === word)?.summary ?? `${word} commands`
    rows.push(`complete -c loadout -n __fish_use_subcommand -a ${word} -d ${quote(summary)}`)
  }
  for (const [first, rest] of groupNested(commands)) {
    for (const word of rest) {
      const condition = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${rest.join(' ')}`
      const summary = commands.find(({ name }) => name === `${first} ${word}`)?.summary ?? ''
      rows.push(`complete -c loadout -n ${quote(condition)} -a ${word} -d ${quote(summary)}`)
    }
  }
  for (const command of commands) {
    const condition = quote(
      command.name
        .split(' ')
        .map((word) => `__fish_seen_subcommand_from ${word}`)
        .join('; and '),
    )
    for (const [name, flag] of flagsOf(command)) {
      const value =
        flag.kind === 'switch' ? '' : flag.kind === 'choice' ? ` -x -a ${quote(flag.choices.join(' '))}` : ' -r -F'
      rows.push(`complete -c loadout -n ${condition} -l ${name}${value} -d ${quote(flag.summary)}`)
    }
    const words = argumentWords(command)
    if (words.length > 0) rows.push(`complete -c loadout -n ${condition} -a ${quote(words.join(' '))}`)
    if (command.args.some(({ complete }) => complete === 'file')) rows.push(`complete -c loadout -n ${condition} -F`)
  }
  return `${rows.join('\n')}\n`
}

/** One table from typed words to the next ones; without an entry PowerShell completes files. */
function powershellScript(commands: readonly Command[]): string {
  const table = new Map<string, string[]>([
    ['', [...unique(commands.map(({ name }) => name.split(' ')[0] ?? '')), 'help']],
  ])
  table.set('help', table.get('')?.filter((word) => word !== 'help') ?? [])
  for (const [first, rest] of groupNested(commands)) table.set(first, rest)
  for (const command of commands) {
    const { name } = command
    table.set(name, [...(table.get(name) ?? []), ...argumentWords(command), ...flagNames(command)])
    for (const [flag, spec] of flagsOf(command)) {
      if (spec.kind === 'choice') table.set(`${name} --${flag}`, [...spec.choices])
      else if (spec.kind !== 'switch') table.set(`${name} --${flag}`, [])
    }
  }
  const rows = [...table].map(
    ([key, words]) => `    ${quotePowershell(key)} = @(${words.map(quotePowershell).join(', ')})`,
  )
  return `Register-ArgumentCompleter -Native -CommandName loadout -ScriptBlock {
  param($word, $ast, $position)
  $next = @{
${rows.join('\n')}
  }
  $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $name = if ($typed.Count -gt 0) { $typed[0] } else { '' }
  if ($typed.Count -gt 1 -and $next.ContainsKey("$name $($typed[1])")) { $name = "$name $($typed[1])" }
  $afterFlag = if ($typed.Count -gt 0) { "$name $($typed[-1])" } else { '' }
  $words = if ($next.ContainsKey($afterFlag) -and $typed[-1].StartsWith('--')) { $next[$afterFlag] } else { $next[$name] }
  $words | Where-Object { $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
}

function quotePowershell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function flagsOf({ flags }: Command) {
  return listedFlags({ ...flags, ...COMMON_FLAGS })
}

function flagNames(command: Command): string[] {
  return flagsOf(command).map(([name]) => `--${name}`)
}

function argumentWords(command: Command): string[] {
  return command.args.flatMap(({ complete }) => (Array.isArray(complete) ? complete : []))
}

/** `index` → build, check, migrate. */
function groupNested(commands: readonly Command[]): [string, string[]][] {
  const groups = new Map<string, string[]>()
  for (const { name } of commands) {
    const [first, second] = name.split(' ')
    if (first !== undefined && second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second])
  }
  return [...groups]
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`
}
