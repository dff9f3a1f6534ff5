import '../../../css/chart-sheet.css'
import type { Party, ReceiptSheet as Facts } from '@tern/contract/receipt/receipt-sheet'
import { receipt as texts } from '#messages/receipt/words.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { QrCode } from '../../../ui/layout/QrCode.tsx'
import { ReceiptChart } from './ReceiptChart.tsx'

/** The chart sheet of a payment: its title, the map of its route, and every fact as text. */
export function ReceiptSheet({ facts, address }: { facts: Facts; address: string }) {
  const { kind, reference, title, lead, paid, got, parties, price, details, map, notes, proofUrl } = facts
  return (
    <article className="chart-sheet">
      <header className="chart-sheet-head">
        <div className="chart-sheet-title">
          <p className="small muted chart-sheet-kind">
            <span>{kind}</span> <span>{reference}</span>
          </p>
          <h1 className="display-l">{title}</h1>
          <p className="lead">{lead}</p>
        </div>
        <dl className="chart-sheet-money">
          <div>
            <dt>{paid.caption}</dt>
            <dd>{paid.amount}</dd>
          </div>
          <div className="chart-sheet-key">
            <dt>{got.caption}</dt>
            <dd>{got.amount}</dd>
          </div>
        </dl>
      </header>
      {map && <ReceiptChart map={map} />}
      <div className="chart-sheet-facts">
        {parties.map((party) => (
          <PartyFacts key={party.label} party={party} />
        ))}
        <section>
          <h2>{texts.price}</h2>
          <DefinitionList
            small
            entries={price.map(({ term, value, isSum }) => ({ term, value, sum: isSum === true }))}
          />
          {proofUrl !== undefined && (
            <a className="chart-sheet-proof" href={proofUrl}>
              {texts.checkPrice}
            </a>
          )}
        </section>
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
      <div className="chart-sheet-details">
        <DefinitionList small entries={details} />
      </div>
      {notes.length > 0 && <p className="tiny chart-sheet-notes">{notes.join(' ')}</p>}
    </article>
  )
}

function PartyFacts({ party }: { party: Party }) {
  return (
    <section>
      <h2>{party.label}</h2>
      {party.who && <p className="chart-sheet-who">{party.who}</p>}
      {party.lines.map((line) => (
        <p key={line} className="small">
          {line}
        </p>
      ))}
      <div className="chart-sheet-when">
        {party.when.map((line) => (
          <p key={line} className="small tabular">
            {line}
          </p>
        ))}
      </div>
    </section>
  )
}
