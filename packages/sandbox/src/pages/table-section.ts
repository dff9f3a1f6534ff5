import { html, type Html } from './html.ts'

interface TableSection {
  id: string
  title: string
  lead: string
  columns: readonly string[]
  /** Rows of cells; the first cell is the row header. */
  rows: readonly (readonly Html[])[]
  /** Text in place of an empty table. */
  empty?: string
}

const table = ({ id, columns, rows }: TableSection): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`

/** Section with a heading, an introduction and a table. */
export const renderSection = (content: TableSection): Html =>
  html`<section>
    <h2 id="${content.id}">${content.title}</h2>
    <p>${content.lead}</p>
    ${content.rows.length === 0 && content.empty ? html`<p class="note">${content.empty}</p>` : table(content)}
  </section>`
