import '../../css/table.css'
import type { AtlasRoute } from '@tern/contract/insight'
import { useId } from 'react'
import { atlas as texts } from '#messages/insight/atlas.ts'
import { countryName } from '../../ui/format/country-name.ts'
import { formatCount } from '../../ui/format/format-count.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'

/** The routes of the map in words, those of sent money first. */
export function RouteTable({ routes }: { routes: readonly AtlasRoute[] }) {
  const id = useId()
  const groups = [
    { heading: texts.sentTo, rows: routes.filter(({ direction }) => direction === 'sent') },
    { heading: texts.receivedFrom, rows: routes.filter(({ direction }) => direction === 'received') },
  ].filter(({ rows }) => rows.length > 0)
  return (
    <section aria-labelledby={id}>
      <h2 className="display-s atlas-routes-title" id={id}>
        {texts.routes}
      </h2>
      <table className="table atlas-table">
        <thead>
          <tr>
            <th scope="col">{texts.country}</th>
            <th scope="col" className="table-end">
              {texts.times}
            </th>
            <th scope="col" className="table-end">
              {texts.routePeople}
            </th>
            <th scope="col" className="table-end">
              {texts.fees}
            </th>
          </tr>
        </thead>
        {groups.map(({ heading, rows }) => (
          <tbody key={heading}>
            <tr className="atlas-group">
              <th colSpan={4} scope="rowgroup">
                {heading}
              </th>
            </tr>
            {rows.map((route) => (
              <RouteRow key={route.country} route={route} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  )
}

function RouteRow({ route: { country, flights, people, fees } }: { route: AtlasRoute }) {
  return (
    <tr>
      <th scope="row">{countryName(country)}</th>
      <td className="table-end tabular">{formatCount(flights)}</td>
      <td className="table-end tabular">{formatCount(people)}</td>
      <td className="table-end tabular">
        {fees.length === 0
          ? texts.noFees
          : fees.map(({ currency, fees: amount }) => (
              <span key={currency} className="block" translate="no">
                {formatExact(amount, currency)}
              </span>
            ))}
      </td>
    </tr>
  )
}
