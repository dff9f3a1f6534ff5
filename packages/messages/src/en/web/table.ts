/** Leafing through a table. */
export const table = {
  range: (first: number, last: number, total: string) => (last === 0 ? '0 of 0' : `${first}–${last} of ${total}`),
  // Where it is not known how many rows come before.
  shown: (count: number, total: string) => `${count} shown, ${total} in all`,
  moreThan: (count: string) => `more than ${count}`,
  pages: 'Pages',
  rowsPerPage: 'Rows per page',
  previousPage: 'Previous page',
  nextPage: 'Next page',
}
