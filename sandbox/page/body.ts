/** The page without its data. The script finds each place by its id. */
export const BODY = `<header>
  <div>
    <h1>Sandbox of the survey service</h1>
    <p>Try a program against it: let people answer, delete somebody, or switch on a fault, and see what the program asks.</p>
  </div>
  <p id="state" class="state" role="status">Loading</p>
</header>
<noscript><p class="card">This page needs JavaScript.</p></noscript>
<main>
  <section class="card connect" aria-labelledby="connect-title">
    <h2 id="connect-title">Connect</h2>
    <dl id="connect"></dl>
    <p class="hint">Airbyte, n8n and a configuration file ask for these values.</p>
  </section>

  <section class="card minute" aria-labelledby="minute-title">
    <h2 id="minute-title">The last minute</h2>
    <p class="figure"><strong id="started">0</strong> <span id="allowed"></span></p>
    <div class="bar" id="bar" role="meter" aria-labelledby="minute-title" aria-valuemin="0"><div id="used"></div></div>
    <dl class="numbers">
      <div><dt>refused</dt><dd id="refused">0</dd></div>
      <div><dt>in flight</dt><dd id="in-flight">0</dd></div>
    </dl>
    <svg id="seconds" viewBox="0 0 600 64" preserveAspectRatio="none" role="img" aria-label="Requests in each second of the last minute"></svg>
    <p class="axis" aria-hidden="true"><span>60 seconds ago</span><span id="peak"></span><span>now</span></p>
  </section>

  <section class="card surveys" aria-labelledby="surveys-title">
    <h2 id="surveys-title">Surveys</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="surveys-title">
      <table>
        <thead><tr><th scope="col">Survey</th><th scope="col" class="number">Responses</th><th scope="col">Newest (UTC)</th><th scope="col">Let people answer</th></tr></thead>
        <tbody id="surveys"></tbody>
      </table>
    </div>
    <div class="controls">
      <label>“1 late” is older than the newest response by
        <select id="late">
          <option value="300000">5 minutes</option>
          <option value="3600000">an hour</option>
          <option value="86400000">a day</option>
        </select>
      </label>
    </div>
    <form id="remove" class="controls">
      <label>Respondent <input id="respondent" autocomplete="off" spellcheck="false" placeholder="uuid; empty: who answered last"></label>
      <button type="submit">Delete with all responses</button>
    </form>
  </section>

  <section class="card faults" aria-labelledby="faults-title">
    <div class="heading">
      <h2 id="faults-title">Faults</h2>
      <span id="active"></span>
      <button type="button" id="all-off">All off</button>
    </div>
    <div id="faults"></div>
    <ul id="other-faults" hidden></ul>
  </section>

  <section class="card requests" aria-labelledby="requests-title">
    <h2 id="requests-title">Requests</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="requests-title">
      <table>
        <thead><tr><th scope="col">Time (UTC)</th><th scope="col">Status</th><th scope="col">Path and query</th><th scope="col">Fault</th></tr></thead>
        <tbody id="requests"></tbody>
      </table>
    </div>
    <p id="no-requests" class="hint">No request yet. Start a program with the values above.</p>
  </section>
</main>
<p id="message" role="status" aria-live="polite"></p>`;
