export function saveFile(blob: Blob, name: string): void {
  const objectUrl = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = objectUrl
  link.download = name
  link.click()
  // Some browsers read the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(objectUrl), 10_000)
}
