import '../../../css/chart-sheet.css'
import type { Line, Party, ReceiptSheet as Sheet } from '@tern/contract/receipt/receipt-sheet'
import { receipt as texts } from '#messages/receipt/words.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { QrCode } from '../../../ui/codes/QrCode.tsx'
import { ReceiptChart } from './ReceiptChart.tsx'

/** Receipt as a chart sheet: title, map of the route, and all facts as text. */
export function ReceiptSheet({ facts, address }: { facts: Sheet; address: string }) {
  const { kind, reference, issued, issuer, title, lead, paid, got, parties, map, notes } = facts
  return (
    <article className="[container:chart-sheet_/_inline-size] border p-8 rounded-sheet bg-sheet wrap-anywhere [&>*+*]:mt-6 [&_.display-l]:[word-spacing:0.07em] max-md:border-x-0 max-md:py-6 max-md:px-(--gutter) max-md:rounded-none print:border-0 print:m-0 print:p-0 print:[zoom:0.75] print:*:[print-color-adjust:exact] print:*:break-inside-avoid">
      <header className="chart-sheet-head flex gap-8 items-baseline-last">
        <div className="flex-1 min-w-0 [&_.lead]:mt-1">
          <p className="small muted flex flex-wrap gap-x-4 gap-y-0.5 mb-2 [&>:last-child]:tracking-[0.02em] [&>:last-child]:text-ink-3">
            <span>{kind}</span> <span>{reference}</span>{' '}
            <span>
              {texts.issued} {issued}
            </span>
          </p>
          <h1 className="display-l">{title}</h1>
          <p className="lead">{lead}</p>
        </div>
        <dl className="chart-sheet-money flex gap-10 items-baseline-last text-end">
          <div>
            <dt className="text-[0.875rem] text-ink-2">{paid.caption}</dt>
            <dd className="text-[1.75rem]/10 font-normal font-display tracking-[-0.012em] text-ink-2">{paid.amount}</dd>
          </div>
          <div className="chart-sheet-key">
            <dt className="text-[0.875rem] text-ink-2">{got.caption}</dt>
            <dd className="font-normal font-display tracking-[-0.02em] text-figure text-ink">{got.amount}</dd>
          </div>
        </dl>
      </header>
      {map && <ReceiptChart map={map} />}
      <div className="chart-sheet-facts border-t border-t-ink grid grid-cols-[1fr_1fr_1.3fr_1.25fr] pt-5">
        {parties.map((party) => (
          <PartyFacts key={party.label} party={party} />
        ))}
        <PriceFacts facts={facts} />
        <section>
          <h2>{texts.verify}</h2>
          <div className="flex gap-4 justify-between [&_svg]:size-26 [&_svg]:flex-none">
            <p className="small">
              {texts.verifyText}{' '}
              <a className="wrap-anywhere" href={address}>
                {reference}
              </a>
            </p>
            <QrCode text={address} label={texts.code} />
          </div>
        </section>
      </div>
      <MoreFacts facts={facts} />
      {notes.length > 0 && <p className="tiny max-w-[92ch] text-ink-3 text-pretty">{notes.join(' ')}</p>}
      <footer className="tiny muted">
        {issuer.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </footer>
    </article>
  )
}

function PriceFacts({ facts: { paidWith, price, proofUrl } }: { facts: Sheet }) {
  return (
    <section>
      {paidWith.length > 0 && (
        <div className="mb-4">
          <h2>{texts.paidWith}</h2>
          <Facts lines={paidWith} />
        </div>
      )}
      <h2>{texts.price}</h2>
      <Facts lines={price} />
      {proofUrl !== undefined && (
        <a
          className="text-small font-medium inline-flex items-center min-h-(--touch) text-sea print:hidden"
          href={proofUrl}
        >
          {texts.checkPrice}
        </a>
      )}
    </section>
  )
}

/** Description by the sender, conversion steps, and further details. */
function MoreFacts({ facts: { description, conversion, details } }: { facts: Sheet }) {
  return (
    <>
      {description !== '' && (
        <section>
          <h2 className="small muted">{texts.description}</h2>
          <p className="print:whitespace-pre-line max-w-160" dir="auto">
            {description}
          </p>
        </section>
      )}
      <div className="border-t pt-2">
        {conversion.length > 0 && (
          <section className="mb-4 pt-2">
            <h2 className="small muted">{texts.conversion}</h2>
            <Facts lines={conversion} />
          </section>
        )}
        <Facts lines={details} />
      </div>
    </>
  )
}

function Facts({ lines }: { lines: readonly Line[] }) {
  return (
    <DefinitionList small entries={lines.map(({ term, value, isSum }) => ({ term, value, sum: isSum === true }))} />
  )
}

function PartyFacts({ party }: { party: Party }) {
  return (
    <section>
      <h2>{party.label}</h2>
      {party.who && (
        <p className="font-medium">
          <bdi>{party.who}</bdi>
        </p>
      )}
      {party.lines.map((line) => (
        <p key={line} className="small">
          {line}
        </p>
      ))}
      <div className="mt-2">
        {party.when.map((line) => (
          <p key={line} className="small tabular">
            {line}
          </p>
        ))}
      </div>
    </section>
  )
}
