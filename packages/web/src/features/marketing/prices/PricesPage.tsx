import '../../../css/site/prices.css'
import { feeIndex } from '#messages/site/fee-index.ts'
import { paths } from '../../../app/paths.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, feeIndex.description)

/** Costs of sending 200 USD by the World Bank's averages, in dollars; the style sheet has the lengths of their bars. */
const averages = [
  { name: feeIndex.others.digitalOnly, cost: '7.84' },
  { name: feeIndex.others.digital, cost: '9.68' },
  { name: feeIndex.others.global, cost: '12.36' },
  { name: feeIndex.others.banks, cost: '22.96' },
] as const

/** What people really paid, month by month. The page is whole without its script, but for the figures, which it loads. */
export default function PricesPage() {
  return (
    <>
      <main id="main">
        <div className="site-width">
          <section className="prices-head">
            <div>
              <p className="prices-tag small" id="prices-sandbox" hidden>
                <Icon name="info" />
                {feeIndex.sandbox}
              </p>
              <h1 className="display-l">{feeIndex.headline}</h1>
              <p className="lead" id="prices-lead">
                {feeIndex.lead}
              </p>
            </div>
            <Costs />
          </section>
          <Corridors />
        </div>
        <Method />
      </main>
      <PageScript name="prices" />
    </>
  )
}

function Costs() {
  return (
    <figure className="costs">
      <figcaption>{feeIndex.costs}</figcaption>
      <dl>
        <div className="costs-own" id="prices-own" hidden>
          <dt>{feeIndex.own}</dt>
          <dd>
            <i />
          </dd>
          <dd />
        </div>
        {averages.map(({ name, cost }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <i />
            </dd>
            <dd>{cost} USD</dd>
          </div>
        ))}
      </dl>
      <ol className="costs-scale" aria-hidden="true">
        {[0, 5, 10, 15, 20, 25].map((dollars) => (
          <li key={dollars}>{dollars}</li>
        ))}
      </ol>
      <p className="tiny faint">
        <span id="prices-own-source" />
        {feeIndex.bank}
      </p>
    </figure>
  )
}

const { columns } = feeIndex

function Corridors() {
  return (
    <section className="corridors" aria-labelledby="corridors-title">
      <div className="corridors-head">
        <h2 className="display-s" id="corridors-title">
          {feeIndex.byCorridor}
        </h2>
        <div className="input-box" id="prices-months" hidden>
          <select className="input" id="prices-month" aria-label={feeIndex.month} />
          <span className="select-chevron">
            <Icon name="down" />
          </span>
        </div>
        <a
          className="button button-secondary"
          id="prices-file"
          href="/api/prices/index.csv"
          aria-label={feeIndex.csvName}
          download
        >
          {feeIndex.csv}
        </a>
      </div>
      <p className="muted corridors-status" id="prices-status" role="status" data-loading={feeIndex.loading}>
        {feeIndex.noScript}
      </p>
      <div id="prices-table" hidden>
        <Keys />
        <CorridorTable />
      </div>
      <p className="tiny faint corridors-source" id="prices-source" />
    </section>
  )
}

function Keys() {
  return (
    <ul className="corridors-keys small muted" aria-label={feeIndex.key}>
      <li>
        <i className="key-own" />
        {feeIndex.keyOwn}
      </li>
      <li>
        <i className="key-global" />
        {feeIndex.keyGlobal}
      </li>
      <li>
        <i className="key-region" />
        {feeIndex.keySouthAsia}
      </li>
      <li>
        <i className="key-banks" />
        {feeIndex.keyBanks}
      </li>
    </ul>
  )
}

/** Its rows come with the figures. */
function CorridorTable() {
  return (
    <table className="corridor-table">
      <caption className="visually-hidden" id="prices-caption" />
      <thead>
        <tr>
          <th scope="col">{columns.corridor}</th>
          <th scope="col">{columns.payments}</th>
          <th scope="col">{columns.fee}</th>
          <th scope="col">{columns.rate}</th>
          <th scope="col">{columns.mean}</th>
          <th scope="col">{columns.median}</th>
          <th scope="col" className="corridor-wide">
            {columns.range}
          </th>
          <th scope="col" className="corridor-plot">
            <span className="visually-hidden">{columns.plot}</span>
            <span className="corridor-axis" aria-hidden="true">
              {[0, 2, 4, 6, 8, 10, 12].map((percent) => (
                <span key={percent}>{percent}%</span>
              ))}
            </span>
          </th>
          <th scope="col">{columns.bank}</th>
          <th scope="col">{columns.kept}</th>
        </tr>
      </thead>
      <tbody id="prices-rows" />
    </table>
  )
}

function Method() {
  return (
    <section className="water">
      <div className="site-width prices-method">
        {feeIndex.method.map(({ title, text }, index) => (
          <div key={title}>
            <h2>{title}</h2>
            <p className="small muted">{text}</p>
            {index === feeIndex.method.length - 1 && (
              <a className="more" href={paths.recompute}>
                {feeIndex.recompute}
              </a>
            )}
          </div>
        ))}
      </div>
    </section>
  )
}
