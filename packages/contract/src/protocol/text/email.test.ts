import { describe, expect, test } from 'vitest'
import { emailAddress } from '../email-address.ts'

const parse = (input: unknown) => {
  const { success, data, error } = emailAddress.safeParse(input)
  return success ? data : error?.issues[0]?.message
}

describe('an email address has one spelling', () => {
  test.each([
    ['ivan@xn--h1alffa9f.xn--p1ai', 'ivan@xn--h1alffa9f.xn--p1ai'],
    ['IVAN@XN--H1ALFFA9F.XN--P1AI', 'ivan@xn--h1alffa9f.xn--p1ai'],
    ['ivan@россия.рф', 'ivan@xn--h1alffa9f.xn--p1ai'],
    ['Ivan@РОССИЯ.РФ', 'ivan@xn--h1alffa9f.xn--p1ai'],
    ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
    ['ana@bu\u0308cher.example', 'ana@xn--bcher-kva.example'],
    ['ana@例え。jp', 'ana@xn--r8jz45g.jp'],
    ['ana@faß.de', 'ana@xn--fa-hia.de'],
    ['a&b@example.com', 'a&b@example.com'],
    ['a/b@example.com', 'a/b@example.com'],
    [`!#$%&'*+/=?^_\`{|}~-@example.com`, `!#$%&'*+/=?^_\`{|}~-@example.com`],
    ["O'Neil+Tax@Example.CO.UK", "o'neil+tax@example.co.uk"],
    ['curator@art.museum', 'curator@art.museum'],
    ['1@2.co', '1@2.co'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%s', (input, expected) => expect(parse(input)).toBe(expected))
})

describe('text pasted around an address is dropped', () => {
  const separators = [
    '\u202A\u202C',
    '\u200E\u200F',
    '\u2066\u2069',
    '\u200B\u200B',
    '\uFEFF\uFEFF',
    '\u00A0\u00A0',
    '  ',
    '\t\n',
  ]
  test.each([...separators, '\u3000\u3000', '\u00AD\u2060', '\u{E0041}\u3164', '<>'])('%j', (pair) => {
    const [before = '', after = ''] = pair
    expect(parse(`${before}ana@tern.example${after}`)).toBe('ana@tern.example')
  })
  test.each([
    'mailto:ana@tern.example',
    'MAILTO:Ana@tern.example?subject=Hi',
    'mailto:ana%40tern.example',
    '<mailto:ana@tern.example>',
    ' < ana@tern.example > ',
    '\u202A<ana@tern.example>\u202C',
    'ana@\u200Btern.example',
  ])('%j', (input) => expect(parse(input)).toBe('ana@tern.example'))
})

describe('other texts are refused', () => {
  const invalid = [
    '',
    ' ',
    '\u200B',
    'ana',
    'ana@',
    '@tern.example',
    'ana@tern',
    'ana@@tern.example',
    'a b@tern.example',
    'ana@tern.example, bob@tern.example',
    'Ana <ana@tern.example>',
    '"a b"@tern.example',
    '.ana@tern.example',
    'ana.@tern.example',
    'a..b@tern.example',
    'ana@-tern.example',
    'ana@tern-.example',
    'ana@tern..example',
    'ana@.tern.example',
    'ana@tern.example.',
    'ana@tern_x.example',
    'ana@10.0.0.1',
    'ana@[10.0.0.1]',
    'ana@0x7f.1',
    'ana@tern.example:25',
    'ana@tern.example/x',
    'ana@u:p@tern.example',
    'ana@tern%2eexample',
    'ana@xn--p1ai',
    'a\u0000@tern.example',
    'ana@tern.example\r\nBcc: x@y.example',
    `${'a'.repeat(250)}@tern.example`,
    `ana@${'a'.repeat(64)}.example`,
    'ana@\uD83C.example',
    7,
    null,
    ['ana@tern.example'],
  ]
  test.each(invalid)('%j', (input) => expect(parse(input)).toBe('invalid_email'))
  test.each([
    'josé@tern.example',
    'иван@россия.рф',
    'mi\u212Ae@tern.example',
    '\uD83C@tern.example',
    '用户@example.com',
  ])('a local part with other letters is named: %j', (input) => expect(parse(input)).toBe('foreign_local_part'))
})
