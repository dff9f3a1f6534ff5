/** Pagination of a table. */
export const table = {
  range: (first: number, last: number, total: string) => (last === 0 ? '0 of 0' : `${first}–${last} of ${total}`),
  // For pages whose number of preceding rows is unknown.
  shown: (count: number, total: string) => `${count} shown, ${total} in all`,
  moreThan: (count: string) => `more than ${count}`,
  pages: 'Pages',
  rowsPerPage: 'Rows per page',
  previousPage: 'Previous page',
  nextPage: 'Next page',
}
