// The figures above the charts, brought up to date in place: pill, tiles, burn rates.

export function showHead(data) {
  const pill = document.getElementById("state");
  const { state, word, proof } = data.state;
  pill.className = `pill pill-${state} disk-state`;
  pill.querySelector("use").setAttribute("href", `#i-${state}`);
  pill.querySelector("span").textContent = proof ? `${word}, ${proof}` : word;

  for (const tile of data.tiles) {
    const root = document.querySelector(`[data-tile=${tile.key}]`);
    root.className = `tile${tile.tone ? ` tone-${tile.tone}` : ""}`;
    for (const name of ["figure", "note", "line"]) {
      const part = root.querySelector(`[data-part=${name}]`);
      if (part && part.textContent !== tile[name]) part.textContent = tile[name];
    }
    const since = root.querySelector("[data-part=since]");
    if (since && tile.since) since.dataset.since = tile.since;
  }
  const runsOut = document.getElementById("runs-out");
  if (runsOut) runsOut.textContent = data.runs_out;
  for (const rule of data.burn) {
    const row = document.querySelector(`[data-rule=${rule.name}]`);
    if (!row) continue;
    row.classList.toggle("firing", rule.firing);
    for (const name of ["long", "short"]) {
      const cell = row.querySelector(`[data-part=${name}]`);
      cell.textContent = rule[`${name}_word`];
      cell.classList.toggle("over", rule[`${name}_over`]);
    }
  }
}
