import type { Messages } from '../../../platform/messages.ts'

/** Part of a mail. Parts are listed in reading order. */
export type MailPart =
  | { readonly kind: 'words'; readonly text: string }
  /** Facts as label and value. Values may contain untrusted text. */
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] }
  | { readonly kind: 'code'; readonly code: string; readonly label: string }
  | { readonly kind: 'button'; readonly label: string; readonly link: string }
  /** Advice at the end of the mail. */
  | { readonly kind: 'note'; readonly text: string }

export interface Message {
  readonly subject: string
  /** Preview text that mail programs show beside the subject. */
  readonly preview: string
  readonly heading: string
  readonly parts: readonly MailPart[]
  /** Explains why the reader gets this mail. */
  readonly reason: string
}

/** Data common to all mails: the product's origin, and the messages of the mail's language. */
export interface MailFrame {
  readonly home: string
  readonly catalogue: Messages
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? '')

// Light and dark colours. Light ones are inline, which every mail program supports; dark ones need a style block.
const colours = {
  paper: ['#fbfaf6', '#0a151e'],
  sheet: ['#fffefd', '#111e28'],
  water: ['#e9f3f5', '#0b1f28'],
  line: ['#d2dbde', '#2a3943'],
  ink: ['#0e202e', '#f1f0ec'],
  ink2: ['#425460', '#b0bdc2'],
  ink3: ['#586973', '#92a1a8'],
  sea: ['#00546d', '#7dc4d5'],
  onSea: ['#fcfcf9', '#081822'],
  beak: ['#e36445', '#fb855b'],
} as const
type Colour = keyof typeof colours

const text = (colour: Colour): string => `color:${colours[colour][0]};`
const background = (colour: Colour): string => `background-color:${colours[colour][0]};`

const serif = `font-family:'Hedvig Letters Serif',Georgia,'Times New Roman',serif;font-weight:400;`
const sans = `font-family:Inter,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;`
const monospace = `font-family:ui-monospace,'SF Mono',SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace;`

const darkModeRules = Object.entries(colours).map(
  ([name, [, darkColour]]) =>
    `.t-${name}{color:${darkColour} !important}.g-${name}{background-color:${darkColour} !important}.b-${name}{border-color:${darkColour} !important}`,
)

const buildStyles = (
  direction: 'ltr' | 'rtl',
): string => `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){${darkModeRules.join('')}}
@media (max-width:520px){.gutter{padding-left:20px !important;padding-right:20px !important}.outer{padding:20px 12px !important}.heading{font-size:26px !important;line-height:32px !important}.code{font-size:34px !important}.wide{width:100% !important}.wide a{display:block !important}.label{display:block !important;width:auto !important;padding-bottom:0 !important;border-bottom:0 !important}.value{display:block !important;padding-top:0 !important;text-align:${direction === 'rtl' ? 'right' : 'left'} !important}}`

const table = (attributes: string, rows: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" ${attributes}>${rows}</table>`

/**
 * Escapes untrusted text. An invisible joiner after dots, colons and @ keeps mail programs from turning text such as
 * "evil.example" into a link. Dots in numbers are left alone.
 */
const escapeUntrusted = (value: string): string =>
  escapeHtml(value)
    .replaceAll(/([.:])(?=[\p{L}/])/gu, '$1&#8288;')
    .replaceAll('@', '@&#8288;')

const paragraph = (words: string, colour: Colour = 'ink'): string =>
  `<tr><td class="gutter t-${colour}" style="padding:0 40px 20px;${sans}font-size:16px;line-height:25px;${text(colour)}">${escapeHtml(words)}</td></tr>`

function factsTable(rows: readonly (readonly [string, string])[], direction: 'ltr' | 'rtl'): string {
  const cells = rows.map(([label, value], index) => {
    const last = index === rows.length - 1
    const borderStyle = last ? '' : `border-bottom:1px solid ${colours.line[0]};`
    const name =
      label === ''
        ? ''
        : `<td class="label t-ink2 b-line" width="110" style="padding:11px ${direction === 'rtl' ? '0 11px 16px' : '16px 11px 0'};vertical-align:top;${sans}font-size:14px;line-height:20px;${text('ink2')}${borderStyle}">${escapeHtml(label)}</td>`
    return `<tr>${name}<td class="${label === '' ? '' : 'value '}t-ink b-line"${label === '' ? ' colspan="2"' : ''} style="padding:11px 0;vertical-align:top;${sans}font-size:15px;line-height:20px;font-weight:600;word-break:break-word;${text('ink')}${borderStyle}">${escapeUntrusted(value)}</td></tr>`
  })
  const innerTable = table('width="100%" style="width:100%;"', cells.join(''))
  return `<tr><td class="gutter" style="padding:0 40px 24px;">${table(
    'width="100%" style="width:100%;"',
    `<tr><td class="b-ink" style="border-top:1px solid ${colours.ink[0]};font-size:0;line-height:0;">&nbsp;</td></tr><tr><td>${innerTable}</td></tr><tr><td class="b-line" style="border-top:1px solid ${colours.line[0]};font-size:0;line-height:0;">&nbsp;</td></tr>`,
  )}</td></tr>`
}

// Decorative bar above the code, drawn like the scale bar of a map.
function scaleBar(): string {
  const cells = Array.from({ length: 8 }, (_, index) => {
    const isFilled = index % 2 === 0
    return `<td width="12.5%" class="b-ink${isFilled ? ' g-ink' : ''}" style="height:4px;border-top:1px solid ${colours.ink[0]};border-bottom:1px solid ${colours.ink[0]};font-size:0;line-height:0;${isFilled ? background('ink') : ''}">&nbsp;</td>`
  })
  return table('width="100%" style="width:100%;table-layout:fixed;"', `<tr>${cells.join('')}</tr>`)
}

const codePanel = (code: string, label: string): string =>
  `<tr><td class="gutter" style="padding:0 40px 24px;">${scaleBar()}${table(
    `width="100%" class="g-water" style="width:100%;${background('water')}"`,
    `<tr><td align="center" class="t-ink2" style="padding:20px 16px 0;${sans}font-size:14px;line-height:20px;${text('ink2')}">${escapeHtml(label)}</td></tr><tr><td align="center" class="code t-ink" style="padding:6px 8px 22px 18px;${monospace}font-size:40px;line-height:48px;letter-spacing:10px;font-weight:500;white-space:nowrap;${text('ink')}">${escapeHtml(code)}</td></tr>`,
  )}</td></tr>`

const button = (label: string, link: string, fallbackText: string): string =>
  `<tr><td class="gutter" style="padding:8px 40px 16px;">${table(
    'class="wide"',
    `<tr><td align="center" bgcolor="${colours.sea[0]}" class="g-sea" style="border-radius:6px;${background('sea')}"><a href="${escapeHtml(link)}" class="t-onSea" style="display:inline-block;padding:14px 28px;${sans}font-size:16px;line-height:24px;font-weight:600;text-decoration:none;border-radius:6px;${text('onSea')}">${escapeHtml(label)}</a></td></tr>`,
  )}</td></tr><tr><td class="gutter t-ink3" style="padding:0 40px 24px;${sans}font-size:13px;line-height:20px;${text('ink3')}">${escapeHtml(fallbackText)}<br><a href="${escapeHtml(link)}" class="t-sea" style="word-break:break-all;text-decoration:underline;${text('sea')}">${escapeHtml(link)}</a></td></tr>`

const note = (words: string, direction: 'ltr' | 'rtl'): string =>
  `<tr><td class="gutter" style="padding:0 40px 24px;">${table(
    `width="100%" class="g-water" style="width:100%;${background('water')}"`,
    `<tr><td class="b-sea t-ink2" style="border-${direction === 'rtl' ? 'right' : 'left'}:3px solid ${colours.sea[0]};padding:12px 16px;${sans}font-size:14px;line-height:21px;${text('ink2')}">${escapeHtml(words)}</td></tr>`,
  )}</td></tr>`

function partHtml(part: MailPart, { mails: { frame }, language }: Messages): string {
  if (part.kind === 'words') return paragraph(part.text)
  if (part.kind === 'facts') return factsTable(part.rows, language.direction)
  if (part.kind === 'code') return codePanel(part.code, part.label)
  if (part.kind === 'button') return button(part.label, part.link, frame.or_open)
  return note(part.text, language.direction)
}

/** Renders a mail as HTML: one column, no external resources. Escapes all texts. */
export function renderHtml(message: Message, { home, catalogue }: MailFrame): string {
  const { subject, preview, heading, parts, reason } = message
  const { language, mails } = catalogue
  const wordmark = `<tr><td class="gutter t-ink" style="padding:0 40px 20px;${serif}font-size:26px;line-height:32px;${text('ink')}"><a href="${escapeHtml(home)}" class="t-ink" style="text-decoration:none;${text('ink')}">Tern</a><span class="t-beak" style="${text('beak')}">.</span></td></tr>`
  const sheet = table(
    `width="100%" class="g-sheet b-line" style="width:100%;border:1px solid ${colours.line[0]};border-radius:12px;border-collapse:separate;${background('sheet')}"`,
    `<tr><td class="gutter" style="padding:36px 40px 16px;"><h1 class="heading t-ink" style="margin:0;${serif}font-size:30px;line-height:36px;${text('ink')}">${escapeUntrusted(heading)}</h1></td></tr>${parts.map((part) => partHtml(part, catalogue)).join('')}<tr><td style="font-size:0;line-height:0;height:12px;">&nbsp;</td></tr>`,
  )
  const footer = `<tr><td class="gutter t-ink3" style="padding:20px 40px 0;${sans}font-size:13px;line-height:20px;${text('ink3')}">${escapeHtml(reason)} ${escapeHtml(mails.frame.never_asks)}<br><a href="${escapeHtml(home)}" class="t-ink3" style="text-decoration:underline;${text('ink3')}">${escapeHtml(new URL(home).host)}</a></td></tr>`
  const column = table(
    'width="560" align="center" style="width:100%;max-width:560px;margin:0 auto;"',
    `${wordmark}<tr><td>${sheet}</td></tr>${footer}`,
  )
  // Filler that keeps mail programs from showing the mail's text after the preview.
  const preheader = `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;opacity:0;">${escapeHtml(preview)}${'&#8199;&#847; '.repeat(40)}</div>`
  return `<!doctype html>
<html lang="${language.code}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeUntrusted(subject)}</title>
<style>${buildStyles(language.direction)}</style>
</head>
<body class="g-paper" style="margin:0;padding:0;-webkit-text-size-adjust:100%;${background('paper')}">
${preheader}
${table(`width="100%" class="g-paper" style="width:100%;${background('paper')}"`, `<tr><td class="outer" align="center" style="padding:32px 16px 48px;">${column}</td></tr>`)}
</body>
</html>
`
}

const lineLength = 76

function wrapText(words: string): string {
  const lines = ['']
  for (const word of words.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= lineLength) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

function partText(part: MailPart, { mails: { frame } }: Messages): string {
  if (part.kind === 'facts') {
    return part.rows
      .map(([label, value]) => `  ${label === '' ? value : frame.label_and_value({ label, value })}`)
      .join('\n')
  }
  if (part.kind === 'code') return `${frame.before(part)}\n\n  ${part.code}`
  if (part.kind === 'button') return `${frame.before(part)}\n${part.link}`
  return wrapText(part.text)
}

/** Renders a mail as plain text, with the same content as the HTML. */
export function renderText({ heading, parts, reason }: Message, { home, catalogue }: MailFrame): string {
  const body = [`${heading}\n${'='.repeat(heading.length)}`, ...parts.map((part) => partText(part, catalogue))]
  return `${[...body, `--\n${wrapText(`${reason} ${catalogue.mails.frame.never_asks}`)}\n${home}`].join('\n\n')}\n`
}
