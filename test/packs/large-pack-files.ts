const SUBJECTS = ['heron', 'quarry', 'lathe', 'glacier', 'organ', 'ferry', 'beacon', 'vineyard', 'turbine', 'loom']
const TRAITS = ['range', 'endurance', 'weight', 'repair', 'season', 'price', 'origin', 'noise', 'depth', 'speed']

/** A wiki-first pack with this many pages, half entities and half concepts, linked from `wiki/index.md`. */
export function largePackFiles(pages = 2000, name = 'large'): Record<string, string> {
  const files: Record<string, string> = {}
  const links: string[] = []
  for (let at = 0; at < pages; at++) {
    const [subject, trait] = [SUBJECTS[at % 10] ?? '', TRAITS[Math.floor(at / 10) % 10] ?? '']
    const title = `${subject} ${trait} ${at}`
    const page = `${at % 2 === 0 ? 'entities' : 'concepts'}/${subject}-${trait}-${at}.md`
    const next = `${(at + 1) % 2 === 0 ? 'entities' : 'concepts'}/${SUBJECTS[(at + 1) % 10]}-${TRAITS[Math.floor((at + 1) / 10) % 10]}-${at + 1}.md`
    const link = at + 1 < pages ? `See [the next](../${next}).\n` : ''
    const text = `The ${trait} of ${subject} number ${at} is ${at * 7} units. [source: sources/log.md#L3]\n\n${link}`
    files[`wiki/${page}`] = `# ${title}\n\n${text}${'It was measured twice and written down once. '.repeat(20)}\n`
    links.push(`- [${title}](${page}) - the ${trait} of ${subject} ${at}`)
  }
  return {
    ...files,
    'KNOWLEDGE.md': `---\nname: ${name}\ndescription: Measurements of ${SUBJECTS.join(', ')}. Use for questions about their ${TRAITS.join(', ')}.\ntype: research-wiki\nprofile: wiki-first\nstatus: ready\nversion: 1.0.0\ntrust: user-confirmed\n---\n\n# Measurements\n\n## Context map\n\n- Short answers: \`compiled/briefing.md\`\n- All pages: \`wiki/index.md\`\n- Entities: \`wiki/entities/\`\n`,
    'wiki/index.md': `# Pages\n\n${links.join('\n')}\n`,
    'compiled/briefing.md': '# Briefing\n\nEach page holds one measurement of one subject.\n',
    'compiled/facts.md': '# Facts\n\n- All was measured twice. [source: sources/log.md#L3]\n',
    'compiled/boundaries.md': '# Boundaries\n\n- No measurement is rounded.\n',
    'sources/log.md': '# Log\n\nAll was measured twice.\n',
  }
}
