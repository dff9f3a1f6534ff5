/** Reading a QR code with the camera. */
export const camera = {
  start: 'Scan with the camera',
  stop: 'Stop the camera',
  viewfinder: 'What the camera sees',
  hint: 'Hold the code in front of the camera.',
  nothingYet: 'No code found yet. Fill the picture with the code, hold it flat, and give it light.',
  denied: "Tern can't use the camera. Allow it in your browser's settings, or choose a picture.",
  noCamera: 'We found no camera here. Choose a picture instead.',
  busy: 'Another app is using the camera. Close it and try again.',
}
