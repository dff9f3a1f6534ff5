import type { Certificate } from '@tern/contract/statements'
import { amountInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import { drawBird } from '../../../platform/paper/bird.ts'
import {
  body,
  type DrawingContext,
  gap,
  labeled,
  rowsBlock,
  rule,
  spacer,
  stackBlocks,
  strongStyle,
  textBlock,
  type TextStyle,
} from '../../../platform/paper/blocks.ts'
import { drawable } from '../../../platform/paper/letters/clusters.ts'
import { type Face, type FacedText, loadFaces } from '../../../platform/paper/letters/faces.ts'
import { collectBytes, ink, newPaper, type PaperSize, sheets } from '../../../platform/paper/pdf-paper.ts'
import { startStructure } from '../../../platform/paper/structure.ts'
import { listTexts, mapTexts } from '../../../platform/paper/texts.ts'

interface CertificateFormat {
  readonly messages: Messages
  readonly size: PaperSize
  readonly publicUrl: string
}

const sideMargin = 56
const topMargin = 48
const headHeight = 53
const title: TextStyle = { look: { size: 30, face: 'display' }, step: 36 }
const text: TextStyle = { look: { size: 15 }, step: 22 }
const facesUsed: readonly Face[] = ['text', 'strong', 'display']
const toLine = (value: string): string => drawable(value).replaceAll('\n', ' ')

/** Writes a certificate of balance as a tagged PDF of one page. */
export async function certificatePdf(
  source: Certificate,
  { messages, size, publicUrl }: CertificateFormat,
): Promise<Buffer> {
  const certificate = mapTexts(source, toLine)
  const { statements: texts, language, receipt } = messages
  const { issuer, holder, balances, code } = certificate
  const locale = language.code === 'en' ? 'en-US' : language.locale
  const showTime = (at: string) =>
    toLine(
      new Intl.DateTimeFormat(locale, {
        dateStyle: 'long',
        timeStyle: 'long',
        timeZone: certificate.time_zone,
      }).format(new Date(at)),
    )
  const showMoney = (amount: string, currency: string) => toLine(amountInWords(language, amount, currency))
  const address = `${publicUrl}/certificate/${code}`
  const issuerLine = [
    issuer.name && receipt.issuedBy({ name: issuer.name }),
    issuer.registration && receipt.registration({ number: issuer.registration }),
    issuer.license,
    issuer.contact,
  ]
    .filter((part) => part !== null && part !== '')
    .join(' · ')
  const facts = [
    { term: texts.holder, value: holder },
    { term: texts.certificate.asOf, value: showTime(certificate.as_of) },
    { term: texts.certificate.made, value: showTime(certificate.created_at) },
  ]
  const rows = balances.flatMap(({ currency, available, on_hold: held }) => [
    { term: texts.certificate.available({ currency }), value: showMoney(available, currency) },
    { term: texts.certificate.onHold({ currency }), value: showMoney(held, currency) },
  ])
  const allTexts = [...listTexts(facts), ...listTexts(rows), ...listTexts(texts), issuerLine, address, code]
  const settings = allTexts.flatMap((value) => facesUsed.map((face): FacedText => ({ text: value, face })))
  const paper = newPaper({
    title: `${texts.certificate.name} ${code}`,
    creator: texts.brand,
    language: language.code,
    size,
    createdAt: new Date(certificate.created_at),
    faces: await loadFaces(settings),
  })
  const written = collectBytes(paper)
  const structure = startStructure(paper)
  const width = sheets[size].width - 2 * sideMargin
  const context: DrawingContext = { paper, structure, rowPadding: 4 }
  paper.addPage()
  structure.part('P', () => {
    drawBird(paper, sideMargin, topMargin)
    paper.write(texts.brand, sideMargin + 46, topMargin + 31, { size: 30, face: 'display' })
  })
  rule(context, sideMargin, topMargin + headHeight - 0.5, width, ink)
  stackBlocks(
    [
      textBlock(context, texts.certificate.name, width, title, 'H1'),
      textBlock(context, texts.certificate.text, width, text),
      spacer(gap / 2),
      rowsBlock(context, facts, width),
      spacer(gap / 2),
      rowsBlock(context, rows, width),
      spacer(gap / 2),
      labeled(
        context,
        texts.certificate.verify,
        width,
        stackBlocks([
          textBlock(context, texts.certificate.verifyText, width, body),
          textBlock(context, code, width, strongStyle),
          textBlock(context, address, width, strongStyle),
        ]),
      ),
      ...(issuerLine === '' ? [] : [spacer(gap / 2), textBlock(context, issuerLine, width, body)]),
    ],
    4,
  ).draw(sideMargin, topMargin + headHeight + gap)
  structure.end()
  paper.document.end()
  return written
}
