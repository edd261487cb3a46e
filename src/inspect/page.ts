/** The page that shows a run: Stately's inspector in a frame, fed by this process. */
const INSPECTOR = 'https://stately.ai';

/** @param nonce of the content security policy */
export const pageOf = (nonce: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>turnstile</title>
<style nonce="${nonce}">body { margin: 0 } iframe { border: 0; width: 100vw; height: 100vh } p { font: 1rem sans-serif; margin: 1rem }</style>
<p id="note">Waiting for the inspector of ${INSPECTOR}, which draws this page. It needs the network; the run does not.</p>
<iframe id="inspector" title="Stately inspector" src="${INSPECTOR}/inspect"></iframe>
<script nonce="${nonce}">
  const frame = document.getElementById('inspector');
  const waiting = [];
  let isConnected = false;
  const send = (message) => frame.contentWindow.postMessage(message, '${INSPECTOR}');
  addEventListener('message', ({ origin, data }) => {
    if (origin !== '${INSPECTOR}' || data?.type !== '@statelyai.connected') return;
    isConnected = true;
    document.getElementById('note').remove();
    for (const message of waiting.splice(0)) send(message);
  });
  new EventSource('events').addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    if (isConnected) send(message);
    else waiting.push(message);
  });
</script>
</html>
`;
