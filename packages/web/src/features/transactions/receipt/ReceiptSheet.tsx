import '../../../css/chart-sheet.css'
import type { ReceiptLine, ReceiptParty, ReceiptSheet as Sheet } from '@tern/contract/receipt/receipt-sheet'
import { receipt as texts } from '#messages/receipt/words.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { QrCode } from '../../../ui/codes/QrCode.tsx'
import { ReceiptChart } from './ReceiptChart.tsx'

/** Receipt laid out like a nautical chart: title, map of the route, and all facts as text. */
export function ReceiptSheet({ facts, address }: { facts: Sheet; address: string }) {
  const { kind, reference, issued, issuer, title, summary, paid, received, parties, map, notes } = facts
  return (
    <article className="chart-sheet">
      <header className="chart-sheet-head">
        <div className="chart-sheet-title">
          <p className="small muted chart-sheet-kind">
            <span>{kind}</span> <span>{reference}</span>{' '}
            <span>
              {texts.issued} {issued}
            </span>
          </p>
          <h1 className="display-l">{title}</h1>
          <p className="lead">{summary}</p>
        </div>
        <dl className="chart-sheet-money">
          <div>
            <dt>{paid.caption}</dt>
            <dd>{paid.amount}</dd>
          </div>
          <div className="chart-sheet-key">
            <dt>{received.caption}</dt>
            <dd>{received.amount}</dd>
          </div>
        </dl>
      </header>
      {map && <ReceiptChart map={map} />}
      <div className="chart-sheet-facts">
        {parties.map((party) => (
          <PartyFacts key={party.label} party={party} />
        ))}
        <PriceFacts facts={facts} />
        <section>
          <h2>{texts.verify}</h2>
          <div className="chart-sheet-code">
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
      <DetailFacts facts={facts} />
      {notes.length > 0 && <p className="tiny chart-sheet-notes">{notes.join(' ')}</p>}
      <footer className="tiny muted">
        {issuer.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </footer>
    </article>
  )
}

function PriceFacts({ facts: { paymentSources, price, proofUrl } }: { facts: Sheet }) {
  return (
    <section>
      {paymentSources.length > 0 && (
        <div className="mb-4">
          <h2>{texts.paidWith}</h2>
          <FactList lines={paymentSources} />
        </div>
      )}
      <h2>{texts.price}</h2>
      <FactList lines={price} />
      {proofUrl !== undefined && (
        <a className="chart-sheet-proof" href={proofUrl}>
          {texts.checkPrice}
        </a>
      )}
    </section>
  )
}

/** Description by the sender, conversion steps, and further details. */
function DetailFacts({ facts: { description, conversion, details } }: { facts: Sheet }) {
  return (
    <>
      {description !== '' && (
        <section>
          <h2 className="small muted">{texts.description}</h2>
          <p className="sheet-words max-w-160" dir="auto">
            {description}
          </p>
        </section>
      )}
      <div className="border-t pt-2">
        {conversion.length > 0 && (
          <section className="mb-4 pt-2">
            <h2 className="small muted">{texts.conversion}</h2>
            <FactList lines={conversion} />
          </section>
        )}
        <FactList lines={details} />
      </div>
    </>
  )
}

function FactList({ lines }: { lines: readonly ReceiptLine[] }) {
  return (
    <DefinitionList small entries={lines.map(({ term, value, isTotal }) => ({ term, value, sum: isTotal === true }))} />
  )
}

function PartyFacts({ party }: { party: ReceiptParty }) {
  return (
    <section>
      <h2>{party.label}</h2>
      {party.name && (
        <p className="font-medium">
          <bdi>{party.name}</bdi>
        </p>
      )}
      {party.lines.map((line) => (
        <p key={line} className="small">
          {line}
        </p>
      ))}
      <div className="mt-2">
        {party.timeLines.map((line) => (
          <p key={line} className="small tabular">
            {line}
          </p>
        ))}
      </div>
    </section>
  )
}
