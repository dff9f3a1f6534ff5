import type { Certificate } from '@tern/contract/statements'
import { certificatePage as texts } from '#messages/statements/certificates.ts'
import { formatDateWithYear } from '../../../ui/format/date-with-year.ts'
import { clockFormat, isZero } from '../../../ui/format/format.ts'
import { textLocale } from '../../../ui/format/locale.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { formatZone } from '../../../app/periods/period-choices.ts'

/** Date and time in the certificate's own zone, as on its paper, wherever it is verified. */
const formatInZone = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(textLocale(), {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    ...clockFormat(),
    timeZone,
  }).format(new Date(at))

/** Facts of a certificate, in the words of its PDF. */
export function CertificateSheet({ certificate }: { certificate: Certificate }) {
  const { code, issuer, holder, date, time_zone: zone, as_of: asOf, created_at: createdAt } = certificate
  const day = formatDateWithYear(`${date}T00:00Z`, 'UTC')
  return (
    <Sheet scaleBar>
      <div className="certificate-sheet">
        <p className="certificate-mark">
          <Icon name="check" />
          <FocusedHeading level="h2" className="display-s">
            {texts.genuine}
          </FocusedHeading>
        </p>
        <p className="muted mt-2">{texts.states(issuer.name ?? texts.us, holder)}</p>
        <Balances certificate={certificate} />
        <div className="mt-6">
          <DefinitionList
            small
            entries={[
              { term: texts.holder, value: holder },
              { term: texts.day, value: texts.dayIn(day, formatZone(zone, asOf)) },
              { term: texts.asOf, value: formatInZone(asOf, zone) },
              { term: texts.madeOn, value: formatInZone(createdAt, zone) },
              issuer.name !== null && { term: texts.issuer, value: issuer.name },
              issuer.registration !== null && { term: texts.registration, value: issuer.registration },
              issuer.license !== null && { term: texts.license, value: issuer.license },
              issuer.contact !== null && { term: texts.contact, value: issuer.contact },
              { term: texts.code, value: <span translate="no">{code}</span> },
            ]}
          />
        </div>
        <p className="small muted mt-4">{texts.compare}</p>
      </div>
    </Sheet>
  )
}

function Balances({ certificate: { balances } }: { certificate: Certificate }) {
  if (balances.length === 0) return <p className="mt-5">{texts.noBalances}</p>
  const hasHold = balances.some(({ on_hold: onHold }) => !isZero(onHold))
  return (
    <table className="certificate-table">
      <caption className="visually-hidden">{texts.balances}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.currency}</th>
          <th scope="col">{texts.available}</th>
          {hasHold && <th scope="col">{texts.onHold}</th>}
        </tr>
      </thead>
      <tbody translate="no">
        {balances.map(({ currency, available, on_hold: onHold }) => (
          <tr key={currency}>
            <th scope="row">{currency}</th>
            <td>{formatExact(available, currency)}</td>
            {hasHold && <td>{formatExact(onHold, currency)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
