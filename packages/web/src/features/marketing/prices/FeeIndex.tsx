import { feeIndex } from '#messages/site/prices/fee-index.ts'
import { paths } from '../../../app/paths.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'

const { columns } = feeIndex

/** Prices paid by users, by month. The page's script loads the figures. */
export function FeeIndex() {
  return (
    <section className="water" aria-labelledby="really-paid">
      <div className="site-width py-18 max-md:py-14">
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-6 max-md:grid-cols-1">
          <div>
            <p
              className="small mb-4 inline-flex items-center gap-1.5 rounded-[16px] border border-line-strong py-1 ps-2 pe-3 font-medium [&_.icon]:size-4 [&_.icon]:text-sea"
              id="prices-sandbox"
              hidden
            >
              <Icon name="info" />
              {feeIndex.sandbox}
            </p>
            <h2 className="display-l" id="really-paid">
              {feeIndex.headline}
            </h2>
            <p className="lead mt-3 max-w-140">{feeIndex.lead}</p>
          </div>
          <div className="input-box w-50" id="prices-months" hidden>
            <select className="input" id="prices-month" aria-label={feeIndex.month} />
            <span className="select-chevron">
              <Icon name="down" />
            </span>
          </div>
        </div>
        <p className="mt-6 empty:hidden" id="prices-status" role="status" data-loading={feeIndex.loading}>
          {feeIndex.noScript}
        </p>
        <div id="prices-table" hidden>
          <RouteTable />
          <p className="small muted mt-4 max-w-[90ch] text-pretty [&>i]:inline-block [&>i]:align-[-1px]">
            <i className="key-own" /> {feeIndex.keyOwn} <i className="ms-1.5 me-0.5 h-3.5 border-s-2 border-s-ink" />{' '}
            {feeIndex.keyBank}
            {feeIndex.keyText} <span id="prices-source" />
          </p>
        </div>
        <details className="mt-4">
          <summary className="more flex cursor-pointer">{feeIndex.method}</summary>
          {feeIndex.methodText.map((paragraph) => (
            <p className="small muted mt-1 mb-3 max-w-[76ch]" key={paragraph}>
              {paragraph}
            </p>
          ))}
        </details>
        <p className="flex flex-wrap gap-x-6">
          <a className="more" href={paths.recompute}>
            {feeIndex.recompute}
            <Icon name="next" small />
          </a>
          <a className="more" id="prices-file" href="/api/prices/index.csv" download>
            {feeIndex.csv}
            <Icon name="next" small />
          </a>
        </p>
      </div>
    </section>
  )
}

/** The script adds the rows with the figures. */
function RouteTable() {
  return (
    <table className="route-table">
      <caption className="visually-hidden" id="prices-caption" />
      <thead>
        <tr>
          <th scope="col">{columns.route}</th>
          <th scope="col">{columns.payments}</th>
          <th scope="col">{columns.mean}</th>
          <th scope="col" className="route-plot">
            <span className="visually-hidden">{columns.plot}</span>
            <span className="-mx-3 flex justify-between text-[12px] font-normal text-ink-3" aria-hidden="true">
              {[0, 4, 8, 12].map((percent) => (
                <span className="w-6 text-center" key={percent}>
                  {percent}%
                </span>
              ))}
            </span>
          </th>
          <th scope="col">{columns.bank}</th>
        </tr>
      </thead>
      <tbody id="prices-rows" />
    </table>
  )
}
