import { describe, expect, it } from 'vitest'
import { detectContent } from './detect.ts'

const kindsIn = (text: string) => [...new Set(detectContent(text).map(({ kind }) => kind))]

// Numbers that authorities publish as examples, with one digit changed in the second column.
const NUMBERS: [kind: string, right: string, wrong: string][] = [
  ['card-number', 'card 4539 5787 6362 1486', 'card 4539 5787 6362 1487'],
  ['card-number', '12,4539578763621486,10/27', '0.4539578763621486'],
  ['iban', 'GB82 WEST 1234 5698 7654 32', 'GB82 WEST 1234 5698 7654 33'],
  ['iban', 'DE89370400440532013000 TODAY', 'DE89370400440532013001 TODAY'],
  ['us-ssn', 'SSN 536-90-4399', 'SSN 666-90-4399'],
  ['uk-nino', 'NI number: JM 40 24 25 C', 'NI number: QQ 40 24 25 C'],
  ['cn-resident-id', '11010519491231002X', '110105194912310021'],
  ['fr-nir', '2 55 08 14 168 025 38', '2 55 08 14 168 025 39'],
  ['es-dni', 'DNI 12345678Z', 'DNI 12345678A'],
  ['es-dni', 'NIE X1234567L', 'NIE X1234567M'],
  ['it-codice-fiscale', 'RSSMRA85T10A562S', 'RSSMRA85T10A562T'],
  ['de-tax-id', 'Steuer-ID 86095742719', 'Steuer-ID 86095742718'],
  ['br-cpf', '529.982.247-25', '529.982.247-26'],
  ['ch-ahv', '756.9217.0769.85', '756.9217.0769.84'],
  ['be-national-number', '85.07.30-033.28', '85.07.30-033.29'],
  ['fi-hetu', 'hetu 131052-308T', 'hetu 131052-308U'],
  ['se-personnummer', 'personnummer 811228-9874', 'personnummer 811228-9875'],
  ['pl-pesel', 'PESEL 44051401359', 'PESEL 44051401358'],
  ['nl-bsn', 'BSN 111222333', 'BSN 111222334'],
  ['in-aadhaar', 'Aadhaar 2341 2341 2346', 'Aadhaar 2341 2341 2347'],
  ['ca-sin', 'SIN 130-692-544', 'SIN 130-692-545'],
  ['email', 'write to jo@northwind-labs.com', 'write to jo@example.com'],
  ['phone', 'call +49 30 901820 45', 'call +1 212 555 0123'],
  ['phone', '"phone": "030 / 9018 2045"', '"port": "030 / 9018 2045"'],
  ['medical-record', 'MRN: 00482913', 'MRN: none'],
  ['classification', 'TOP SECRET//NOFORN', 'top secret//todo'],
]

describe('a number is told from others by its check digit or its form', () => {
  it.each(NUMBERS)('%s: %s, not %s', (kind, right, wrong) => {
    expect(kindsIn(right)).toEqual([kind])
    expect(kindsIn(wrong)).toEqual([])
  })
})

describe('a megabyte of hostile text takes its time once', () => {
  const pieces = [
    'a',
    '1',
    '1 ',
    '1-',
    '4539 ',
    '@',
    'a@',
    'a@a.',
    '+1 ',
    '\\',
    '\\u0041',
    '%41',
    '%25',
    '&amp;',
    '&',
    'AAAA',
    'GB82',
    'GB82 ',
    'Zm9v',
    'Zm9v\n',
    'password',
    'token=',
    'token: "',
    'login a password ',
    '| password ',
    '--password ',
    'MRN',
    'MRN ',
    'SECRET//',
    'tel: 0',
    '\u200b',
    '\uff21',
    '756.',
    '-----BEGIN ',
    'sk-ant-',
    'curl -u a:bcd ',
    ' -u a:',
    'token string ',
    '"token", "',
    'token>',
    'the key is a1B2c3D4e5 ',
    'password (a ',
    'aB1',
    'name: token\n',
    'kind: Secret\ndata:\n  a: ',
    'data:\n ',
    'pat.',
    '0Q~',
    'authorization: a ',
    'BUNDLE_A__',
    '<system ',
    '< ',
    '<|a',
    'Human: ',
    'Human: a\n',
  ]
  it.each(pieces)('%j', (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length))
    expect(() => detectContent(text)).not.toThrow()
  })
})
