import { describe, expect, test } from 'vitest'
import { readLinkData, trimLinkValue } from '../../../../app/browser/link-text.ts'
import { extractLinkData, readLink } from './scanned-link.ts'

const origin = 'https://tern.example'
const data = 'AZrHG1x2d3eFhLk0MnOpqRsTuV-WxYz_0123456789a'
const link = `${origin}/pay?data=${data}`

test.each([
  ['https://tern.example/pay?data=abc', 'abc'],
  ['  https://tern.example/pay?data=abc\n', 'abc'],
  ['https://tern.example/pay?data=abc&receipt=x', 'abc'],
  ['https://tern.example/pay/?data=abc', 'abc'],
  ['tern.example/pay?data=abc', 'abc'],
  ['TERN.EXAMPLE/pay?data=abc', 'abc'],
  ['//tern.example/pay?data=abc', 'abc'],
  ['HTTPS://TERN.EXAMPLE/pay?data=abc', 'abc'],
  ['https%3A%2F%2Ftern.example%2Fpay%3Fdata%3Dabc', 'abc'],
  ['https://tern.example/pay', undefined],
  ['https://tern.example/pay?data=', undefined],
  ['https://tern.example/pay?data=...', undefined],
  ['https://tern.example/login?data=abc', undefined],
  ['https://tern.example/payments?data=abc', undefined],
  ['https://tern.example.evil.test/pay?data=abc', undefined],
  ['https://tern.example@evil.test/pay?data=abc', undefined],
  ['https://someone@tern.example/pay?data=abc', undefined],
  ['https://someone:word@tern.example/pay?data=abc', undefined],
  ['https://tern.example:8443/pay?data=abc', undefined],
  ['https://evil.test/tern.example/pay?data=abc', undefined],
  ['https://evil.test/?to=https://tern.example/pay?data=abc', undefined],
  ['https://evil.test#https://tern.example/pay?data=abc', undefined],
  ['https:\\\\tern.example\\pay?data=abc', undefined],
  ['https://xn--trn-9na.example/pay?data=abc', undefined],
  ['https://térn.example/pay?data=abc', undefined],
  ['https://tеrn.example/pay?data=abc', undefined],
  ['http://tern.example/pay?data=abc', 'abc'],
  ['https://www.tern.example/pay?data=abc', 'abc'],
  ['www.tern.example/pay?data=abc', 'abc'],
  ['https://tern.example:443/pay?data=abc', 'abc'],
  ['https://tern.example/pay?utm_source=mail&amp;data=abc', 'abc'],
  ['https%3A//tern.example/pay?data=abc', 'abc'],
  ['https://tern.example/pay%3Fdata%3Dabc', 'abc'],
  ['https://tern.example/pay?next=%2Fa%26data%3Dother&data=abc', 'abc'],
  ['https://wwww.tern.example/pay?data=abc', undefined],
  ['https://www.tern.example.evil.test/pay?data=abc', undefined],
  ['https://tern.example%2F@evil.test/pay?data=abc', undefined],
  ['https://evil.test%2F@tern.example/pay?data=abc', undefined],
  ['https://tern.example//evil.test/pay?data=abc', undefined],
  ['ftp://tern.example/pay?data=abc', undefined],
  ['javascript:alert(1)//pay?data=abc', undefined],
  ['data:text/html,<script>alert(1)</script>', undefined],
  ['/pay?data=abc', undefined],
  ['WIFI:S:cafe;;', undefined],
  ['', undefined],
])('%j names %j', (text, expected) => {
  expect(extractLinkData(text, origin)).toBe(expected)
})

describe('a link in a text', () => {
  test.each([
    ['.', ''],
    [',', ''],
    [')', '('],
    ['>', '<'],
    [']', '['],
    ['}', '{'],
    ['"', '"'],
    ['’', '‘'],
    ['»', '«'],
    ['」', '「'],
    ['。', '请看'],
    ['、', ''],
    ['！', '：'],
    ['…', ''],
    ['!?', ''],
    [';', ''],
    [':', ''],
    [').', 'Pay here ('],
    [')', '[Pay]('],
    ['_', '_'],
    ['**', '**'],
    ['%2E', ''],
    ['\u200b', '\u2066'],
    [' Thanks!', 'Ines asks you for $20.00: v1.5 and/or lunch\n'],
    ['\nSent from my phone', 'Pay me:\n'],
    ['&utm_source=mail.', ''],
    ['#top', ''],
    ['', '[1]: '],
    [' "title")', '![x]('],
    ['">Pay</a>', '<a href="'],
    ['←', 'リンク→'],
    ['谢谢', '支付'],
    ['؟', ''],
    ['।', ''],
    ['&amp;utm_source=mail', ''],
    [link, ''],
    [`\n${link}`, ''],
  ])('with %j after and %j before it', (after, before) => {
    expect(readLink(`${before}${link}${after}`, origin)).toEqual({ data })
  })

  test('wrapped by a mail program is read whole', () => {
    for (const sign of ['\n', '\r\n', ' ', '\n  ', '=\n', '\u00ad', '\u200b'])
      for (const at of [12, origin.length + 4, origin.length + 10, link.length - 20, link.length - 1]) {
        const wrappedText = `Pay me:\n${link.slice(0, at)}${sign}${link.slice(at)}.\nThanks`
        expect([wrappedText, readLink(wrappedText, origin)]).toEqual([wrappedText, { data }])
      }
  })

  test('in quoted-printable form is the same', () => {
    const quotedLink = `${origin}/pay?data=3D${data}`
    expect(readLink(quotedLink, origin)).toEqual({ data })
    expect(readLink(`${quotedLink.slice(0, -20)}=\r\n${quotedLink.slice(-20)}`, origin)).toEqual({ data })
  })

  test('is read after a field has removed its newline', () => {
    expect(readLink(`Ines asks you for 20.00 USD: lunch${link}`, origin)).toEqual({ data })
  })
})

test.each([
  ['BCD\n002\n1\nSCT\nBFSWDE33BER\nWikimedia Foerdergesellschaft\nDE33100205000001194700\nEUR123.45', 'epc'],
  ['\ufeffBCD\r\n001\r\n1\r\nSCT', 'epc'],
  [String.raw`BCD\n002\n1\nSCT\nBFSWDE33BER`, 'epc'],
  ['SPC\n0200\n1\nCH4431999123000889012', 'swiss'],
  ['00020101021226580009SG.PAYNOW010120210123456789A0', 'card'],
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'bitcoin'],
  ['0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359', 'ethereum'],
  ['lno1pg257enxv4ezqcneype82um50ynhxgrwdajx283qfwdpl28', 'lightning'],
  ['00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000', 'pix'],
  ['00020101021126440014com.example.pay', 'card'],
  ['upi://pay?pa=merchant@upi&pn=Shop&am=10.00&cu=INR', 'upi'],
  ['UPI://PAY?PA=merchant@upi', 'upi'],
  ['bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=20.3', 'bitcoin'],
  ['LIGHTNING:LNBC1PVJLUEZPP5QQQSYQCYQ5RQWZQF', 'lightning'],
  ['lnbc1pvjluezpp5qqqsyqcyq5rqwzqf', 'lightning'],
  ['ethereum:0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359', 'ethereum'],
  ['payto://iban/DE75512108001245126199?amount=EUR:200.0', 'payto'],
])('%j is a code of another payment system', (text, system) => {
  expect(readLink(text, origin)).toEqual({ problem: 'system', system })
})

test('classifies other texts', () => {
  expect(readLink('HTTPS://TERN.EXAMPLE/PAY?DATA=ABC', origin)).toEqual({ problem: 'capitals' })
  expect(readLink('https://evil.test/pay?data=abc', origin)).toEqual({ problem: 'elsewhere' })
  expect(readLink('javascript:alert(1)', origin)).toEqual({ problem: 'elsewhere' })
  for (const text of [
    'WIFI:S:cafe;T:WPA;P:x;;',
    'BEGIN:VCARD\nVERSION:3.0',
    'MECARD:N:Doe;',
    'otpauth://totp/Tern?secret=x',
  ])
    expect(readLink(text, origin)).toEqual({ problem: 'elsewhere' })
  expect(readLink('hello', origin)).toEqual({ problem: 'none' })
})

describe('the data of an address', () => {
  test.each([
    '.',
    ')',
    ',',
    '…',
    '!',
    ';',
    ':',
    '>',
    ']',
    '"',
    "'",
    '。',
    '、',
    ' ',
    '\n',
    '=',
    '%2E',
    '/',
    '_',
    ').',
    '.\n\nThanks',
    ' .',
  ])('without %j after it', (after) => expect(readLinkData(data + after)).toBe(data))

  test.each(['<', '(', '"', ' ', '“', '\u2066'])('without %j before it', (before) =>
    expect(readLinkData(before + data)).toBe(data),
  )

  test('is joined where it was wrapped', () => {
    expect(readLinkData(`${data.slice(0, 20)} ${data.slice(20)}.`)).toBe(data)
    expect(readLinkData(`${data.slice(0, 9)}=\n${data.slice(9, 30)}\n${data.slice(30)} Thanks`)).toBe(data)
    expect(readLinkData(`${data.slice(0, 20)} thanks`)).toBe(data.slice(0, 20))
  })

  test('differs if a letter is missing, wrong or extra', () => {
    for (const changed of [data.slice(1), data.slice(0, -1), `${data}x`, data.toLowerCase()])
      expect(readLinkData(changed)).toBe(changed)
  })
})

test('values of mailed links lose trailing punctuation, and paths keep it', () => {
  expect(trimLinkValue('abc-_.')).toBe('abc-_')
  expect(trimLinkValue('<abc>)')).toBe('abc')
  expect(trimLinkValue('ab\nc”。')).toBe('abc')
  expect(trimLinkValue('/send?to=ines')).toBe('/send?to=ines')
  const id = '01a20289-bd22-711f-a95c-a469daac5eb6'
  for (const delimiter of ['.', ' )', '”.', '…', '。', '\u200b', '>']) expect(trimLinkValue(id + delimiter)).toBe(id)
})
